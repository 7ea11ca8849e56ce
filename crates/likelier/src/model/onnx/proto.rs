//! The messages of an ONNX file, as far as we write them. Names and tags are those of `onnx.proto`.

use prost::Message;

use super::super::file::little_endian;

/// Data types of tensors.
pub(super) const FLOAT: i32 = 1;
pub(super) const INT64: i32 = 7;
pub(super) const STRING: i32 = 8;
pub(super) const DOUBLE: i32 = 11;

/// Lengths and indices as ONNX has them. Nothing in memory is too long for it.
fn signed(values: &[usize]) -> Vec<i64> {
    values.iter().map(|value| i64::try_from(*value).unwrap_or(i64::MAX)).collect()
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct OnnxModel {
    #[prost(int64, tag = "1")]
    pub(super) ir_version: i64,
    #[prost(string, tag = "2")]
    pub(super) producer_name: String,
    #[prost(string, tag = "3")]
    pub(super) producer_version: String,
    #[prost(message, optional, tag = "7")]
    pub(super) graph: Option<OnnxGraph>,
    #[prost(message, repeated, tag = "8")]
    pub(super) opset_import: Vec<OperatorSet>,
    #[prost(message, repeated, tag = "14")]
    pub(super) metadata_props: Vec<Entry>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct OperatorSet {
    #[prost(string, tag = "1")]
    pub(super) domain: String,
    #[prost(int64, tag = "2")]
    pub(super) version: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Entry {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(string, tag = "2")]
    pub(super) value: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct OnnxGraph {
    #[prost(message, repeated, tag = "1")]
    pub(super) node: Vec<OnnxNode>,
    #[prost(string, tag = "2")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "5")]
    pub(super) initializer: Vec<OnnxTensor>,
    #[prost(message, repeated, tag = "11")]
    pub(super) input: Vec<ValueInfo>,
    #[prost(message, repeated, tag = "12")]
    pub(super) output: Vec<ValueInfo>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct OnnxNode {
    #[prost(string, repeated, tag = "1")]
    pub(super) input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(super) output: Vec<String>,
    #[prost(string, tag = "4")]
    pub(super) op_type: String,
    #[prost(message, repeated, tag = "5")]
    pub(super) attribute: Vec<Attribute>,
    #[prost(string, tag = "7")]
    pub(super) domain: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Attribute {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(float, optional, tag = "2")]
    pub(super) f: Option<f32>,
    #[prost(int64, optional, tag = "3")]
    pub(super) i: Option<i64>,
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub(super) ints: Vec<i64>,
    #[prost(bytes = "vec", repeated, tag = "9")]
    pub(super) strings: Vec<Vec<u8>>,
    #[prost(int32, tag = "20")]
    pub(super) r#type: i32,
}

impl Attribute {
    pub(super) fn float(name: &str, value: f32) -> Self {
        Self { name: name.into(), f: Some(value), r#type: 1, ..Self::default() }
    }

    pub(super) fn int(name: &str, value: i64) -> Self {
        Self { name: name.into(), i: Some(value), r#type: 2, ..Self::default() }
    }

    pub(super) fn ints(name: &str, values: &[usize]) -> Self {
        Self { name: name.into(), ints: signed(values), r#type: 7, ..Self::default() }
    }

    pub(super) fn strings(name: &str, values: &[String]) -> Self {
        let strings = values.iter().map(|value| value.clone().into_bytes()).collect();
        Self { name: name.into(), strings, r#type: 8, ..Self::default() }
    }
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct OnnxTensor {
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub(super) dims: Vec<i64>,
    #[prost(int32, tag = "2")]
    pub(super) data_type: i32,
    #[prost(string, tag = "8")]
    pub(super) name: String,
    #[prost(bytes = "vec", tag = "9")]
    pub(super) raw_data: Vec<u8>,
}

impl OnnxTensor {
    pub(super) fn floats(name: &str, shape: &[usize], values: &[f32]) -> Self {
        Self { dims: signed(shape), data_type: FLOAT, name: name.into(), raw_data: little_endian(values) }
    }

    pub(super) fn doubles(name: &str, shape: &[usize], values: &[f64]) -> Self {
        let raw_data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Self { dims: signed(shape), data_type: DOUBLE, name: name.into(), raw_data }
    }

    pub(super) fn ints(name: &str, values: &[usize]) -> Self {
        let raw_data = signed(values).iter().flat_map(|value| value.to_le_bytes()).collect();
        Self { dims: signed(&[values.len()]), data_type: INT64, name: name.into(), raw_data }
    }
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ValueInfo {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, optional, tag = "2")]
    pub(super) r#type: Option<Type>,
}

impl ValueInfo {
    /// A tensor with a row for each item: N, or N × `columns`.
    pub(super) fn rows(name: &str, elem_type: i32, columns: Option<usize>) -> Self {
        let mut dim = vec![Dimension { length: None, name: Some("N".into()) }];
        for length in signed(columns.as_slice()) {
            dim.push(Dimension { length: Some(length), name: None });
        }
        let tensor_type = TensorType { elem_type, shape: Some(OnnxShape { dim }) };
        Self { name: name.into(), r#type: Some(Type { tensor_type: Some(tensor_type) }) }
    }
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Type {
    #[prost(message, optional, tag = "1")]
    pub(super) tensor_type: Option<TensorType>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TensorType {
    #[prost(int32, tag = "1")]
    pub(super) elem_type: i32,
    #[prost(message, optional, tag = "2")]
    pub(super) shape: Option<OnnxShape>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct OnnxShape {
    #[prost(message, repeated, tag = "1")]
    pub(super) dim: Vec<Dimension>,
}

/// A length, or a name for one that is not fixed.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Dimension {
    #[prost(int64, optional, tag = "1")]
    pub(super) length: Option<i64>,
    #[prost(string, optional, tag = "2")]
    pub(super) name: Option<String>,
}
