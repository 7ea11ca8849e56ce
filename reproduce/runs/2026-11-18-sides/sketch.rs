//! A sketch of training by the pair posterior on one linear model, without the library: quick to compile, no more.
//!
//! ```text
//! rustc --edition 2021 -O -C target-cpu=native sketch.rs
//! LIKELIER_DATA=… ./sketch sides|degree SEEDS FIRST [DATASET] > rows.csv
//! ```
//!
//! Forced choice, standardised features, Adam, averaged weights, batches of 128 pairs, 20 epochs of warm-up and 80 of
//! expectation–maximisation with the level held; weight decay, losses and E-step as in the library. It differs in its random numbers, in
//! that rates are known and not estimated, and in that it never stops early. κ is taken as a third of what it is on the people's scale.

struct Rng(u64);
impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E3779B97F4A7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58476D1CE4E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D049BB133111EB);
        z ^ (z >> 31)
    }
    fn u(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    fn below(&mut self, n: usize) -> usize {
        (self.u() * n as f64) as usize
    }
    fn chance(&mut self, p: f64) -> bool {
        self.u() < p
    }
    fn shuffle<T>(&mut self, v: &mut [T]) {
        for i in (1..v.len()).rev() {
            let j = self.below(i + 1);
            v.swap(i, j);
        }
    }
}
fn sig(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}
struct Set {
    x: Vec<Vec<f32>>,
    y: Vec<bool>,
    deg: Vec<f64>,
    ink: Vec<f64>,
    real: usize,
}
fn load(name: &str) -> Set {
    let data = std::env::var("LIKELIER_DATA").expect("LIKELIER_DATA");
    let f = format!("{data}/{name}/{name}");
    let t = std::fs::read_to_string(format!("{f}.tra")).unwrap()
        + &std::fs::read_to_string(format!("{f}.tes")).unwrap();
    let (mut x, mut y): (Vec<Vec<f64>>, Vec<bool>) = (vec![], vec![]);
    for l in t.lines().filter(|l| !l.trim().is_empty()) {
        let v: Vec<f64> = l.split(',').map(|v| v.trim().parse().unwrap()).collect();
        let d = v.len() - 1;
        x.push(v[..d].to_vec());
        y.push(v[d] as u32 % 2 == 0);
    }
    let ink: Vec<f64> = x.iter().map(|r| r.iter().sum()).collect();
    let d = x[0].len();
    let n = x.len() as f64;
    for j in 0..d {
        let m = x.iter().map(|r| r[j]).sum::<f64>() / n;
        let s = (x.iter().map(|r| (r[j] - m).powi(2)).sum::<f64>() / n).sqrt();
        for r in &mut x {
            r[j] = if s > 0.0 { (r[j] - m) / s } else { 0.0 };
        }
    }
    let x: Vec<Vec<f32>> = x
        .into_iter()
        .map(|r| {
            let mut v: Vec<f32> = r.iter().map(|v| *v as f32).collect();
            v.push(1.0);
            while v.len() % 8 != 0 {
                v.push(0.0)
            }
            v
        })
        .collect();
    let real = d;
    let mut set = Set { x, y, deg: vec![], ink, real };
    // supervised logistic
    let mut m = Model::new(set.x[0].len(), real, 1e-4);
    let mut rng = Rng(1);
    let mut order: Vec<usize> = (0..set.x.len()).collect();
    for _ in 0..15 {
        rng.shuffle(&mut order);
        for b in order.chunks(256) {
            let g: Vec<f64> = b
                .iter()
                .map(|&i| (sig(m.f(&set.x[i])) - set.y[i] as u8 as f64) / b.len() as f64)
                .collect();
            m.step(&b.iter().map(|&i| &set.x[i][..]).collect::<Vec<_>>(), &g);
        }
    }
    let z: Vec<f64> = set.x.iter().map(|r| m.ft(r)).collect();
    let mean = z.iter().sum::<f64>() / n;
    let sd = (z.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    set.deg = z.iter().map(|v| (v - mean) / sd).collect();
    set
}
#[derive(Clone)]
struct Model {
    w: Vec<f32>,
    t: Vec<f32>,
    m: Vec<f32>,
    v: Vec<f32>,
    n: i32,
    decay: f32,
    bias: usize,
}
impl Model {
    fn new(d: usize, bias: usize, decay: f64) -> Self {
        let z = vec![0.0; d];
        Model { w: z.clone(), t: z.clone(), m: z.clone(), v: z, n: 0, decay: decay as f32, bias }
    }
    fn dot(w: &[f32], x: &[f32]) -> f64 {
        let mut a = [0.0f32; 8];
        for (w, x) in w.chunks_exact(8).zip(x.chunks_exact(8)) {
            for k in 0..8 {
                a[k] += w[k] * x[k];
            }
        }
        a.iter().sum::<f32>() as f64
    }
    fn f(&self, x: &[f32]) -> f64 {
        Self::dot(&self.w, x)
    }
    fn ft(&self, x: &[f32]) -> f64 {
        Self::dot(&self.t, x)
    }
    fn step(&mut self, x: &[&[f32]], g: &[f64]) {
        let d = self.w.len();
        let mut gr: Vec<f32> = self.w.iter().map(|w| self.decay * w).collect();
        gr[self.bias] = 0.0;
        for (x, g) in x.iter().zip(g) {
            let g = *g as f32;
            for (gr, x) in gr.iter_mut().zip(x.iter()) {
                *gr += g * x;
            }
        }
        self.n += 1;
        let (c1, c2) = ((1.0 - 0.9f64.powi(self.n)) as f32, (1.0 - 0.999f64.powi(self.n)) as f32);
        for j in 0..d {
            self.m[j] = 0.9 * self.m[j] + 0.1 * gr[j];
            self.v[j] = 0.999 * self.v[j] + 0.001 * gr[j] * gr[j];
            self.w[j] -= 1e-2 * (self.m[j] / c1) / ((self.v[j] / c2).sqrt() + 1e-8);
        }
        let a = (1.0 - 1.0 / (self.n as f32 + 1.0)).min(0.97);
        for j in 0..d {
            self.t[j] = a * self.t[j] + (1.0 - a) * self.w[j];
        }
    }
}
/// An answer: first item, second, the cells given labels (++,+-,-+,--), of the recorded order.
#[derive(Clone, Copy)]
struct Ans {
    a: usize,
    b: usize,
    cells: [f64; 4],
    kappa: f64,
}
fn forced(e: f64) -> [f64; 4] {
    [0.5, 1.0 - e, e, 0.5]
}
#[derive(Clone, Copy, PartialEq, Debug)]
enum How {
    Rank,
    Likelihood,
    Posterior,
}
struct Opt {
    how: How,
    err: f64,
    strength: f64,
    warm: usize,
    by_rank: bool,
    epochs: usize,
    mix: f64,
}
fn train(set: &Set, ans: &[Ans], pi: f64, o: &Opt, seed: u64) -> Model {
    let n = ans.len();
    let var = set.real as f64; // standardised
    let mut m = Model::new(set.x[0].len(), set.real, o.strength * var / n as f64);
    let mut rng = Rng(seed * 77 + 5);
    let mut order: Vec<usize> = (0..n).collect();
    let (mut recent, mut sizes): (Vec<f64>, Vec<usize>) = (vec![], vec![]);
    for ep in 0..o.epochs {
        if o.how == How::Posterior && ep == o.warm {
            m.w = m.t.clone();
            m.m.fill(0.0);
            m.v.fill(0.0);
            m.n = 0;
            let t = m.t.clone();
            m.t = t;
        }
        rng.shuffle(&mut order);
        for b in order.chunks(128) {
            let xs: Vec<&[f32]> =
                b.iter().flat_map(|&i| [&set.x[ans[i].a][..], &set.x[ans[i].b][..]]).collect();
            let k = b.len() as f64;
            let mut g = Vec::with_capacity(2 * b.len());
            let post = o.how == How::Posterior && ep >= o.warm;
            let mut c = 0.0;
            if post {
                let z: Vec<f64> = xs.iter().map(|x| m.ft(x)).collect();
                sizes.push(z.len());
                recent.extend(&z);
                if sizes.len() > 8 {
                    let s = sizes.remove(0);
                    recent.drain(..s);
                }
                let rows = (recent.len() as f64).min(2.0 * n as f64);
                let tol = (2.0 * (pi * (1.0 - pi) / rows).sqrt()).min(pi.min(1.0 - pi) / 2.0);
                let mean = |c: f64| recent.iter().map(|z| sig(z + c)).sum::<f64>() / recent.len() as f64;
                let m0 = mean(0.0);
                let target = if m0 < pi - tol {
                    pi - tol
                } else if m0 > pi + tol {
                    pi + tol
                } else {
                    f64::NAN
                };
                if !target.is_nan() {
                    for _ in 0..3 {
                        let (mut s0, mut s1) = (0.0, 0.0);
                        for z in &recent {
                            let p = sig(z + c);
                            s0 += p;
                            s1 += p * (1.0 - p);
                        }
                        let n = recent.len() as f64;
                        c += ((target - s0 / n) / (s1 / n).max(1e-3)).clamp(-1.0, 1.0);
                    }
                }
            }
            for (r, &i) in b.iter().enumerate() {
                let (fa, fb) = (m.f(xs[2 * r]), m.f(xs[2 * r + 1]));
                if post {
                    let (za, zb) = (m.ft(xs[2 * r]) + c, m.ft(xs[2 * r + 1]) + c);
                    let (p, q) = (sig(za), sig(zb));
                    let kap = ans[i].kappa;
                    let gr = 2.0 * sig(kap * (za - zb));
                    let w = [
                        p * q * ans[i].cells[0] * gr,
                        p * (1.0 - q) * ans[i].cells[1],
                        (1.0 - p) * q * ans[i].cells[2],
                        (1.0 - p) * (1.0 - q) * ans[i].cells[3] * gr,
                    ];
                    let t: f64 = w.iter().sum();
                    let ord = (w[0] + w[3]) / t * kap * sig(-kap * (za - zb));
                    let (ra, rb) = ((w[0] + w[1]) / t + ord, (w[0] + w[2]) / t - ord);
                    let extra = if o.mix > 0.0 { -sig(fb - fa) * o.mix } else { 0.0 };
                    g.push(((sig(fa) - ra) / 2.0 + extra) / k);
                    g.push(((sig(fb) - rb) / 2.0 - extra) / k);
                } else if o.how == How::Rank || (o.by_rank && ep < o.warm) {
                    let s = -sig(fb - fa);
                    g.push(s / k);
                    g.push(-s / k);
                } else {
                    let (p, q) = (sig(fa), sig(fb));
                    let e = 1.0 - 2.0 * o.err;
                    let l = 0.5 + e * (p - q) / 2.0;
                    g.push(-e / 2.0 * p * (1.0 - p) / l / k);
                    g.push(e / 2.0 * q * (1.0 - q) / l / k);
                }
            }
            m.step(&xs, &g);
        }
    }
    m
}
/// Σ ln P(answer) of what was trained on, levelled to the prior.
fn likelihood(set: &Set, ans: &[Ans], m: &Model, pi: f64) -> f64 {
    let z: Vec<[f64; 2]> = ans.iter().map(|a| [m.ft(&set.x[a.a]), m.ft(&set.x[a.b])]).collect();
    let mut c = 0.0;
    for _ in 0..30 {
        let (mut s0, mut s1) = (0.0, 1e-9);
        for z in z.iter().flatten() {
            let p = sig(z + c);
            s0 += p - pi;
            s1 += p * (1.0 - p);
        }
        c -= (s0 / s1).clamp(-1.0, 1.0);
    }
    let of = |(a, z): (&Ans, &[f64; 2])| {
        let (p, q) = (sig(z[0] + c), sig(z[1] + c));
        let gr = 2.0 * sig(a.kappa * (z[0] - z[1]));
        let w = a.cells;
        (p * q * w[0] * gr
            + p * (1.0 - q) * w[1]
            + (1.0 - p) * q * w[2]
            + (1.0 - p) * (1.0 - q) * w[3] * gr)
            .ln()
    };
    ans.iter().zip(&z).map(of).sum()
}
fn judge(set: &Set, m: &Model, pi: f64, pool: &[usize], rest: &[usize], zero: bool) -> [f64; 4] {
    let mut p: Vec<f64> = pool.iter().map(|&i| m.ft(&set.x[i])).collect();
    p.sort_by(f64::total_cmp);
    let q = p[((1.0 - pi) * p.len() as f64) as usize];
    let s: Vec<f64> = rest.iter().map(|&i| m.ft(&set.x[i])).collect();
    let acc = |t: f64| {
        s.iter().zip(rest).filter(|(z, &i)| (**z > t) == set.y[i]).count() as f64 / rest.len() as f64
    };
    let mut o: Vec<(f64, bool)> = s.iter().zip(rest).map(|(z, &i)| (*z, set.y[i])).collect();
    o.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (np, nn) = (o.iter().filter(|v| v.1).count() as f64, o.iter().filter(|v| !v.1).count() as f64);
    let (mut r, mut best, mut auc, mut below) = (np, np, 0.0, 0.0);
    for v in &o {
        if v.1 {
            r -= 1.0;
            auc += below
        } else {
            r += 1.0;
            below += 1.0
        }
        best = f64::max(best, r);
    }
    [acc(if zero { 0.0 } else { q }), acc(q), best / rest.len() as f64, auc / np / nn]
}
fn draw(set: &Set, pi: f64, n: usize, rng: &mut Rng) -> (Vec<usize>, Vec<usize>) {
    let mut all: Vec<usize> = (0..set.x.len()).collect();
    rng.shuffle(&mut all);
    let pos: Vec<usize> = all.iter().copied().filter(|&i| set.y[i]).collect();
    let neg: Vec<usize> = all.iter().copied().filter(|&i| !set.y[i]).collect();
    let (mut ip, mut ineg) = (0, 0);
    let mut pool = vec![];
    for _ in 0..n {
        if rng.chance(pi) {
            pool.push(pos[ip]);
            ip += 1
        } else {
            pool.push(neg[ineg]);
            ineg += 1
        }
    }
    let (rp, rn) = (&pos[ip..], &neg[ineg..]);
    let k = (rp.len() as f64 / pi).min(rn.len() as f64 / (1.0 - pi));
    let rest = [&rp[..(k * pi) as usize], &rn[..(k * (1.0 - pi)) as usize]].concat();
    (pool, rest)
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (seeds, first): (u64, u64) = (a[2].parse().unwrap(), a[3].parse().unwrap());
    println!("dataset,prior,condition,answers,seed,treatment,accuracy,quantile,best,auc,found");
    for name in ["pendigits", "optdigits"] {
        if a.len() > 4 && a[4] != name {
            continue;
        }
        let set = load(name);
        for seed in first..first + seeds {
            for pi in [0.5, 0.2] {
                match a[1].as_str() {
                    "sides" => sides(name, &set, pi, seed),
                    "degree" => degree(name, &set, pi, seed),
                    _ => panic!(),
                }
            }
        }
    }
}
fn row(
    name: &str,
    set: &Set,
    pi: f64,
    cond: &str,
    n: usize,
    seed: u64,
    what: &str,
    m: &Model,
    pool: &[usize],
    rest: &[usize],
    zero: bool,
    found: &str,
) {
    let r = judge(set, m, pi, pool, rest, zero);
    println!(
        "{name},{pi},{cond},{n},{seed},{what},{:.4},{:.4},{:.4},{:.4},{found}",
        r[0], r[1], r[2], r[3]
    );
}
const E: f64 = 0.05;
fn lean_cells(b: f64, left: bool, always: bool) -> [f64; 4] {
    let f = forced(E);
    let l = 2.0 * b.abs();
    let to = if (b > 0.0) == left { l } else { 0.0 };
    if always {
        f.map(|c| to + (1.0 - l) * c)
    } else {
        let s = to + (1.0 - l) * 0.5;
        [s, f[1], f[2], s]
    }
}
fn sides(name: &str, set: &Set, pi: f64, seed: u64) {
    for (always, drawn, bs) in
        [(true, true, &[0.1, 0.2, 0.3][..]), (true, false, &[0.1, 0.2, 0.3][..]), (false, true, &[0.2][..])]
    {
        for &b in bs {
            let mut rng = Rng(seed.wrapping_mul(1000003) + 17);
            let (pool, rest) = draw(set, pi, 1000, &mut rng);
            let mut said = vec![];
            for pr in pool.chunks(2) {
                let (l, r) =
                    if drawn || set.ink[pr[0]] >= set.ink[pr[1]] { (pr[0], pr[1]) } else { (pr[1], pr[0]) };
                let same = set.y[l] == set.y[r];
                let blind = rng.chance(2.0 * b) && (always || same);
                let looks = if same { rng.chance(0.5) } else { set.y[l] != rng.chance(E) };
                said.push((l, r, blind || looks));
            }
            let n = said.len();
            let bhat = said.iter().filter(|s| s.2).count() as f64 / n as f64 - 0.5;
            let bhat = if bhat.abs() > 2.0 * 0.5 / (n as f64).sqrt() { bhat } else { 0.0 };
            let whole = E + b * (1.0 - 2.0 * E);
            let cond = format!(
                "{}; sides {}; b = {b}",
                if always { "always" } else { "equals" },
                if drawn { "drawn" } else { "by ink" }
            );
            let mut go = |what: &str, err: f64, cells: &dyn Fn(bool) -> [f64; 4]| {
                let ans: Vec<Ans> = said
                    .iter()
                    .map(|&(l, r, left)| {
                        if left {
                            Ans { a: l, b: r, cells: cells(true), kappa: 0.0 }
                        } else {
                            Ans { a: r, b: l, cells: cells(false), kappa: 0.0 }
                        }
                    })
                    .collect();
                let m = train(
                    set,
                    &ans,
                    pi,
                    &Opt {
                        how: How::Posterior,
                        err,
                        strength: 0.1,
                        warm: 20,
                        by_rank: false,
                        epochs: 100,
                        mix: 0.0,
                    },
                    seed,
                );
                row(name, set, pi, &cond, n, seed, what, &m, &pool, &rest, true, &format!("{bhat:.3}"));
            };
            go("not known", E, &|_| forced(E));
            if always {
                go("error of all", whole, &|_| forced(whole));
            }
            go("known", E, &|l| lean_cells(b, l, always));
            go("share of left", E, &|l| lean_cells(bhat, l, true));
        }
    }
}
fn degree(name: &str, set: &Set, pi: f64, seed: u64) {
    for kappa in [0.0, 0.5, 1.0, 2.0, 4.0, 8.0] {
        let mut rng = Rng(seed.wrapping_mul(1000003) + 17);
        let (pool, rest) = draw(set, pi, 1000, &mut rng);
        let mut ans = vec![];
        for pr in pool.chunks(2) {
            let (l, r) = (pr[0], pr[1]);
            let t = if rng.chance(0.1) { 2 } else { 1 };
            for _ in 0..t {
                let fst = if set.y[l] == set.y[r] {
                    rng.chance(sig(kappa * (set.deg[l] - set.deg[r])))
                } else {
                    set.y[l] != rng.chance(E)
                };
                let (x, y) = if fst { (l, r) } else { (r, l) };
                ans.push(Ans { a: x, b: y, cells: forced(E), kappa: 0.0 });
            }
        }
        let cond = format!("degree {kappa}");
        let n = ans.len();
        let mut go = |what: String, o: Opt, k: f64| {
            let an: Vec<Ans> = ans.iter().map(|a| Ans { kappa: k, ..*a }).collect();
            let zero = o.how == How::Posterior;
            let m = train(set, &an, pi, &o, seed);
            let found = format!("{:.3}", likelihood(set, &an, &m, pi));
            row(name, set, pi, &cond, n, seed, &what, &m, &pool, &rest, zero, &found);
        };
        // Log-odds spread about three times as far as scores in deviations.
        let k = kappa / 3.0;
        for (what, by_rank) in [("today", false), ("from a ranker", true)] {
            let o = Opt {
                how: How::Posterior,
                err: E,
                strength: 0.1,
                warm: 20,
                by_rank,
                epochs: 100,
                mix: 0.0,
            };
            go(what.into(), o, k);
        }
        go(
            "rank-quantile".into(),
            Opt { how: How::Rank, err: E, strength: 0.2, warm: 0, by_rank: false, epochs: 100, mix: 0.0 },
            0.0,
        );
    }
}
