//! Settings that may be left to what is usual, where files have a word for that.

use serde::de::IntoDeserializer as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

fn write<T: Serialize, S: Serializer>(
    value: Option<&T>,
    word: &str,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => value.serialize(serializer),
        None => serializer.serialize_str(word),
    }
}

fn read<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    word: &str,
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text == word { Ok(None) } else { T::deserialize(text.into_deserializer()).map(Some) }
}

/// A module for `#[serde(with)]` in which a word stands for none.
macro_rules! word_for_none {
    ($module:ident, $word:literal) => {
        pub(super) mod $module {
            use serde::{Deserialize, Deserializer, Serialize, Serializer};

            #[allow(clippy::ref_option, reason = "serde calls it so")]
            pub(in crate::reproduce) fn serialize<T: Serialize, S: Serializer>(
                value: &Option<T>,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                super::write(value.as_ref(), $word, serializer)
            }

            pub(in crate::reproduce) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Option<T>, D::Error> {
                super::read($word, deserializer)
            }
        }
    };
}

word_for_none!(or_paper, "paper");
word_for_none!(or_default, "default");
word_for_none!(or_true, "true");
