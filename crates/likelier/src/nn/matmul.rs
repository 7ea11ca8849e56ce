//! Matrix products: the one place that talks to the `gemm` crates. Of these only the kernels for f32 are
//! built.
//!
//! `gemm` picks its kernel for AVX-512, AVX2 or plain x86-64 at run time. It is called single-threaded;
//! parallelism is over fixed chunks of rows, outside (see `parallel`), so results do not depend on the
//! number of threads.

/// A matrix in a slice, with any strides.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a> {
    data: &'a [f32],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a> Matrix<'a> {
    /// Row after row, `columns` each.
    pub(crate) fn new(data: &'a [f32], columns: usize) -> Self {
        Self { data, rows: data.len() / columns, columns, row_stride: columns, column_stride: 1 }
    }

    /// The columns from `first` on, `count` of them.
    pub(crate) fn columns(self, first: usize, count: usize) -> Self {
        Self { data: &self.data[first..], columns: count, ..self }
    }

    /// Rows and columns exchanged.
    pub(crate) fn transposed(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }

    /// Whether every element lies inside the slice.
    fn fits(&self) -> bool {
        self.rows == 0
            || self.columns == 0
            || (self.rows - 1) * self.row_stride + (self.columns - 1) * self.column_stride < self.data.len()
    }
}

/// out = left · right, or out += left · right. `out` holds its rows one after the other.
#[allow(unsafe_code, reason = "gemm takes pointers and strides; they are checked here against the slices")]
pub(crate) fn matmul(out: &mut [f32], left: Matrix<'_>, right: Matrix<'_>, accumulate: bool) {
    let (rows, columns, depth) = (left.rows, right.columns, left.columns);
    assert!(
        depth == right.rows && out.len() == rows * columns && left.fits() && right.fits(),
        "matrix shapes do not fit"
    );
    let stride = |stride: usize| stride.cast_signed();
    // The kernels want a result stored column after column. Ours is stored row after row, so they are given
    // the transposed product: outᵀ = rightᵀ · leftᵀ. A single column is stored both ways.
    let out_strides = [1, stride(columns)];
    let (left, right, rows, columns, [column_stride, row_stride]) = if columns > 1 {
        (right.transposed(), left.transposed(), columns, rows, [out_strides[1], out_strides[0]])
    } else {
        (left, right, rows, columns, out_strides)
    };
    // SAFETY: the assertion above makes sure that every element of the three matrices lies inside its
    // slice; `out` is borrowed mutably, so nothing else reads or writes it meanwhile.
    unsafe {
        gemm_f32::gemm::f32::get_gemm_fn()(
            rows,
            columns,
            depth,
            out.as_mut_ptr(),
            column_stride,
            row_stride,
            accumulate,
            left.data.as_ptr(),
            stride(left.column_stride),
            stride(left.row_stride),
            right.data.as_ptr(),
            stride(right.column_stride),
            stride(right.row_stride),
            1.0,
            1.0,
            false,
            false,
            false,
            gemm_common::Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn products_are_sums_of_products(
            rows in 1..20_usize, columns in 1..20_usize, depth in 1..40_usize,
            turned in any::<[bool; 2]>(), accumulate in any::<bool>(), seed in any::<u64>(),
        ) {
            let mut rng = crate::random::stream(seed, crate::random::Purpose::Weights);
            let mut draw = |count: usize| {
                // Small whole numbers: products and sums are exact.
                (0..count).map(|_| crate::random::below(&mut rng, 9) as f32 - 4.0).collect::<Vec<_>>()
            };
            let (left, right, start) = (draw(rows * depth), draw(depth * columns), draw(rows * columns));
            let left_matrix = if turned[0] { Matrix::new(&left, rows).transposed() } else { Matrix::new(&left, depth) };
            let right_matrix =
                if turned[1] { Matrix::new(&right, depth).transposed() } else { Matrix::new(&right, columns) };
            let mut out = start.clone();
            matmul(&mut out, left_matrix, right_matrix, accumulate);
            for row in 0..rows {
                for column in 0..columns {
                    let mut expected = if accumulate { start[row * columns + column] } else { 0.0 };
                    for k in 0..depth {
                        let l = if turned[0] { left[k * rows + row] } else { left[row * depth + k] };
                        let r = if turned[1] { right[column * depth + k] } else { right[k * columns + column] };
                        expected += l * r;
                    }
                    prop_assert_eq!(out[row * columns + column], expected);
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "shapes do not fit")]
    fn shapes_that_do_not_fit_are_refused_before_gemm_sees_them() {
        matmul(&mut [0.0; 4], Matrix::new(&[1.0; 4], 2), Matrix::new(&[1.0; 6], 2), false);
    }

    #[test]
    fn a_block_of_columns_can_be_multiplied() {
        let left = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let mut out = [0.0; 4];
        matmul(&mut out, Matrix::new(&left, 3).columns(1, 2), Matrix::new(&[1.0, 0.0, 0.0, 1.0], 2), false);
        assert_eq!(out, [2.0, 3.0, 5.0, 6.0]);
    }
}
