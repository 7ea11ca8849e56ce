// Common part of the sketches: data, people, training, estimation of rates. Included by the experiments.
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
fn dot(w: &[f32], x: &[f32]) -> f64 {
    let mut a = [0.0f32; 16];
    for (w, x) in w.chunks_exact(16).zip(x.chunks_exact(16)) {
        for k in 0..16 {
            a[k] += w[k] * x[k];
        }
    }
    a.iter().sum::<f32>() as f64
}
struct Set {
    name: String,
    x: Vec<Vec<f32>>,
    y: Vec<bool>,
    deg: Vec<f64>,
    real: usize,
    var: f64,
}
fn load(name: &str) -> Set {
    let b = std::fs::read(format!("{name}.bin")).unwrap();
    let u = |o: usize| u32::from_le_bytes(b[o..o + 4].try_into().unwrap()) as usize;
    let (n, d) = (u(0), u(4));
    let f = |i: usize| f32::from_le_bytes(b[8 + 4 * i..12 + 4 * i].try_into().unwrap());
    let x: Vec<Vec<f32>> = (0..n)
        .map(|i| {
            let mut v: Vec<f32> = (0..d).map(|j| f(i * d + j)).collect();
            v.push(1.0);
            while v.len() % 16 != 0 {
                v.push(0.0)
            }
            v
        })
        .collect();
    let y: Vec<bool> = b[8 + 4 * n * d..].iter().map(|v| *v == 1).collect();
    let mut var = 0.0;
    for j in 0..d {
        let m = x.iter().map(|r| r[j] as f64).sum::<f64>() / n as f64;
        var += x.iter().map(|r| (r[j] as f64 - m).powi(2)).sum::<f64>() / n as f64;
    }
    let mut set = Set { name: name.into(), x, y, deg: vec![], real: d, var };
    let mut m = Adam::new(set.x[0].len(), d, 1e-5);
    let mut rng = Rng(1);
    let mut order: Vec<usize> = (0..n).collect();
    for _ in 0..30 {
        rng.shuffle(&mut order);
        for b in order.chunks(256) {
            let g: Vec<f64> = b
                .iter()
                .map(|&i| (sig(dot(&m.w, &set.x[i])) - set.y[i] as u8 as f64) / b.len() as f64)
                .collect();
            m.step(&b.iter().map(|&i| &set.x[i][..]).collect::<Vec<_>>(), &g);
        }
    }
    let z: Vec<f64> = set.x.iter().map(|r| dot(&m.w, r)).collect();
    let mean = z.iter().sum::<f64>() / n as f64;
    let sd = (z.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
    set.deg = z.iter().map(|v| (v - mean) / sd).collect();
    set
}
#[derive(Clone)]
struct Adam {
    w: Vec<f32>,
    t: Vec<f32>,
    m: Vec<f32>,
    v: Vec<f32>,
    n: i32,
    tn: i32,
    decay: f32,
    bias: usize,
    lr: f32,
}
impl Adam {
    fn new(d: usize, bias: usize, decay: f64) -> Self {
        let z = vec![0.0; d];
        Adam {
            w: z.clone(),
            t: z.clone(),
            m: z.clone(),
            v: z,
            n: 0,
            tn: 0,
            decay: decay as f32,
            bias,
            lr: 1e-2,
        }
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
        self.tn += 1;
        let (c1, c2) = ((1.0 - 0.9f64.powi(self.n)) as f32, (1.0 - 0.999f64.powi(self.n)) as f32);
        let (lr, a) = (self.lr, (1.0 - 1.0 / (self.tn as f32 + 1.0)).min(0.97));
        for j in 0..d {
            self.m[j] = 0.9 * self.m[j] + 0.1 * gr[j];
            self.v[j] = 0.999 * self.v[j] + 0.001 * gr[j] * gr[j];
            self.w[j] -= lr * (self.m[j] / c1) / ((self.v[j] / c2).sqrt() + 1e-8);
            self.t[j] = a * self.t[j] + (1.0 - a) * self.w[j];
        }
    }
}
const E: f64 = 0.05;
#[derive(Clone, Copy)]
struct Pair {
    l: usize,
    r: usize,
    n: [u8; 2],
}
struct World {
    pi: f64,
    kappa: f64,
    seed: u64,
    pool: Vec<usize>,
    rest: Vec<usize>,
    pairs: Vec<Pair>,
}
impl World {
    fn new(set: &Set, pi: f64, kappa: f64, seed: u64) -> World {
        Self::with(set, pi, kappa, seed, 1000, E)
    }
    fn with(set: &Set, pi: f64, kappa: f64, seed: u64, items: usize, err: f64) -> World {
        let mut rng = Rng(seed.wrapping_mul(1000003) + 17);
        let mut all: Vec<usize> = (0..set.x.len()).collect();
        rng.shuffle(&mut all);
        let pos: Vec<usize> = all.iter().copied().filter(|&i| set.y[i]).collect();
        let neg: Vec<usize> = all.iter().copied().filter(|&i| !set.y[i]).collect();
        let (mut ip, mut ineg) = (0, 0);
        let mut pool = vec![];
        for _ in 0..items {
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
        let mut pairs = vec![];
        for pr in pool.chunks(2) {
            let (l, r) = (pr[0], pr[1]);
            let t = if rng.chance(0.1) { 2 } else { 1 };
            let mut n = [0, 0];
            for _ in 0..t {
                let first = if set.y[l] == set.y[r] {
                    rng.chance(sig(kappa * (set.deg[l] - set.deg[r])))
                } else {
                    set.y[l] != rng.chance(err)
                };
                n[!first as usize] += 1;
            }
            pairs.push(Pair { l, r, n });
        }
        World { pi, kappa, seed, pool, rest, pairs }
    }
    /// (first, second, pair, whether the pair is turned)
    fn answers(&self) -> Vec<(usize, usize, usize, bool)> {
        let mut a = vec![];
        for (i, p) in self.pairs.iter().enumerate() {
            for _ in 0..p.n[0] {
                a.push((p.l, p.r, i, false))
            }
            for _ in 0..p.n[1] {
                a.push((p.r, p.l, i, true))
            }
        }
        a
    }
}
#[derive(Clone, Copy, Debug)]
struct Rates {
    err: f64,
    kappa: f64,
}
/// ++ +- -+ --
fn table(n: [u8; 2], r: Rates, gap: f64) -> [f64; 4] {
    let (a, b) = (n[0] as i32, n[1] as i32);
    let g = if r.kappa > 0.0 {
        sig(gap * r.kappa).powi(a) * sig(-gap * r.kappa).powi(b)
    } else {
        0.5f64.powi(a + b)
    };
    let (e, f) = (r.err, 1.0 - r.err);
    [g, f.powi(a) * e.powi(b), e.powi(a) * f.powi(b), g]
}
fn joint(n: [u8; 2], r: Rates, za: f64, zb: f64) -> ([f64; 4], f64) {
    let (p, q) = (sig(za), sig(zb));
    let t = table(n, r, za - zb);
    let w = [p * q * t[0], p * (1.0 - q) * t[1], (1.0 - p) * q * t[2], (1.0 - p) * (1.0 - q) * t[3]];
    let s: f64 = w.iter().sum::<f64>().max(1e-300);
    ([w[0] / s, w[1] / s, w[2] / s, w[3] / s], s)
}
#[derive(Clone, Copy, PartialEq, Debug)]
enum How {
    Rank,
    Likelihood,
    Posterior,
}
#[derive(Clone)]
struct Opt {
    how: How,
    rates: Rates,
    joined: bool,
    strength: f64,
    warm: usize,
    by_rank: bool,
    epochs: usize,
    mix: f64,
    temper: f64,
    lapse: f64,
    start: Option<Vec<f32>>,
    var: f64,
    hard: f64,
    ksd: f64,
    pw: bool,
    tolf: f64,
}
fn opt(how: How, rates: Rates) -> Opt {
    Opt {
        how,
        rates,
        joined: true,
        strength: if how == How::Rank { 0.2 } else { 0.1 },
        warm: 20,
        by_rank: false,
        epochs: 100,
        mix: 0.0,
        temper: 1.0,
        lapse: 0.0,
        start: None,
        var: 1.0,
        hard: 1.0,
        ksd: 0.0,
        pw: false,
        tolf: 2.0,
    }
}
type Answer = (usize, usize, usize, bool);
fn train(set: &Set, w: &World, ans: &[Answer], o: &Opt) -> Vec<f32> {
    let n = ans.len();
    let pi = w.pi;
    let mut m = Adam::new(set.x[0].len(), set.real, o.strength * o.var * set.var / n as f64);
    let mut rng = Rng(w.seed * 77 + 5);
    let mut order: Vec<usize> = (0..n).collect();
    let (mut recent, mut sizes): (Vec<f64>, Vec<usize>) = (vec![], vec![]);
    let warm = if let Some(s) = &o.start {
        m.w = s.clone();
        m.t = s.clone();
        m.tn = 100;
        0
    } else {
        o.warm
    };
    for ep in 0..o.epochs {
        if o.how == How::Posterior && ep == warm && ep > 0 {
            m.w = m.t.clone();
            m.m.fill(0.0);
            m.v.fill(0.0);
            m.n = 0;
        }
        rng.shuffle(&mut order);
        for b in order.chunks(128) {
            let xs: Vec<&[f32]> =
                b.iter().flat_map(|&i| [&set.x[ans[i].0][..], &set.x[ans[i].1][..]]).collect();
            let k = b.len() as f64;
            let mut g = Vec::with_capacity(2 * b.len());
            let post = o.how == How::Posterior && ep >= warm;
            let mut c = 0.0;
            let mut zt: Vec<f64> = vec![];
            if post {
                zt = xs.iter().map(|x| o.temper * dot(&m.t, x)).collect();
                sizes.push(zt.len());
                recent.extend(&zt);
                if sizes.len() > 8 {
                    let s = sizes.remove(0);
                    recent.drain(..s);
                }
                let rows = (recent.len() as f64).min(2.0 * n as f64);
                let tol = (o.tolf * (pi * (1.0 - pi) / rows).sqrt()).min(pi.min(1.0 - pi) / 2.0);
                c = level(&recent, pi, tol);
            }
            let mut rates = o.rates;
            if post && o.ksd > 0.0 {
                rates.kappa = o.ksd / spread(&recent).max(0.1);
            }
            for (r, &i) in b.iter().enumerate() {
                let (fa, fb) = (dot(&m.w, xs[2 * r]), dot(&m.w, xs[2 * r + 1]));
                if post {
                    let (mut za, mut zb) = (zt[2 * r] + c, zt[2 * r + 1] + c);
                    if o.lapse > 0.0 {
                        za = lapsed(za, o.lapse, pi);
                        zb = lapsed(zb, o.lapse, pi);
                    }
                    let p = &w.pairs[ans[i].2];
                    let cnt = if !o.joined {
                        [1, 0]
                    } else if ans[i].3 {
                        [p.n[1], p.n[0]]
                    } else {
                        p.n
                    };
                    let (j, _) = joint(cnt, rates, za, zb);
                    let ord = (j[0] + j[3]) * rates.kappa * sig(-rates.kappa * (za - zb));
                    let (mut pa, mut pb) = (j[0] + j[1], j[0] + j[2]);
                    if o.hard != 1.0 {
                        pa = soft(pa, o.hard);
                        pb = soft(pb, o.hard);
                    }
                    let (ra, rb) = (pa + ord, pb - ord);
                    let extra = if o.mix > 0.0 { -sig(fb - fa) * o.mix } else { 0.0 };
                    let k = if o.pw { k * (p.n[0] + p.n[1]) as f64 } else { k };
                    g.push(((sig(fa) - ra) / 2.0 + extra) / k);
                    g.push(((sig(fb) - rb) / 2.0 - extra) / k);
                } else if o.how == How::Rank || (o.by_rank && ep < warm) {
                    let s = -sig(fb - fa);
                    g.push(s / k);
                    g.push(-s / k);
                } else {
                    let (p, q) = (sig(fa), sig(fb));
                    let e = 1.0 - 2.0 * E;
                    let l = 0.5 + e * (p - q) / 2.0;
                    g.push(-e / 2.0 * p * (1.0 - p) / l / k);
                    g.push(e / 2.0 * q * (1.0 - q) / l / k);
                }
            }
            m.step(&xs, &g);
        }
    }
    m.t
}
fn soft(p: f64, h: f64) -> f64 {
    let (a, b) = (p.powf(h), (1.0 - p).powf(h));
    a / (a + b)
}
fn lapsed(z: f64, l: f64, pi: f64) -> f64 {
    ((1.0 - l) * sig(z) + l * pi).ln() - ((1.0 - l) * sig(-z) + l * (1.0 - pi)).ln()
}
/// Smallest shift within the tolerance.
fn level(z: &[f64], pi: f64, tol: f64) -> f64 {
    let mean = |c: f64| z.iter().map(|z| sig(z + c)).sum::<f64>() / z.len() as f64;
    let m0 = mean(0.0);
    let target = if m0 < pi - tol {
        pi - tol
    } else if m0 > pi + tol {
        pi + tol
    } else {
        return 0.0;
    };
    let mut c: f64 = 0.0;
    for _ in 0..if tol > 1e-6 { 3 } else { 40 } {
        let (mut s0, mut s1) = (0.0, 0.0);
        for z in z {
            let p = sig(z + c);
            s0 += p;
            s1 += p * (1.0 - p);
        }
        let n = z.len() as f64;
        c += ((target - s0 / n) / (s1 / n).max(1e-3)).clamp(-1.0, 1.0);
    }
    c
}
/// Orientation-likelihood (or RankNet) scorer stopped early on 15 % of the comparisons, as the library's out-of-fold scorer. Returns the best epoch's weights.
fn stopped(set: &Set, ans: &[Answer], how: How, seed: u64) -> Vec<f32> {
    let mut rng = Rng(seed * 131 + 3);
    let mut order: Vec<usize> = (0..ans.len()).collect();
    rng.shuffle(&mut order);
    let h = (ans.len() as f64 * 0.15) as usize;
    // all comparisons of a held-out pair
    let mut outp: Vec<usize> = order[..h].iter().map(|&i| ans[i].2).collect();
    outp.sort();
    let (held, mut tr): (Vec<usize>, Vec<usize>) =
        order.iter().partition(|&&i| outp.binary_search(&ans[i].2).is_ok());
    let mut m = Adam::new(set.x[0].len(), set.real, 1e-5);
    let (mut best, mut bw, mut since) = (f64::INFINITY, m.w.clone(), 0);
    let e = 1.0 - 2.0 * E;
    for _ in 0..100 {
        rng.shuffle(&mut tr);
        for b in tr.chunks(128) {
            let xs: Vec<&[f32]> =
                b.iter().flat_map(|&i| [&set.x[ans[i].0][..], &set.x[ans[i].1][..]]).collect();
            let k = b.len() as f64;
            let mut g = vec![];
            for r in 0..b.len() {
                let (fa, fb) = (dot(&m.w, xs[2 * r]), dot(&m.w, xs[2 * r + 1]));
                if how == How::Rank {
                    let s = -sig(fb - fa) / k;
                    g.push(s);
                    g.push(-s);
                    continue;
                }
                let (p, q) = (sig(fa), sig(fb));
                let l = 0.5 + e * (p - q) / 2.0;
                g.push(-e / 2.0 * p * (1.0 - p) / l / k);
                g.push(e / 2.0 * q * (1.0 - q) / l / k);
            }
            m.step(&xs, &g);
        }
        let v: f64 = held
            .iter()
            .map(|&i| {
                let (fa, fb) = (dot(&m.w, &set.x[ans[i].0]), dot(&m.w, &set.x[ans[i].1]));
                if how == How::Rank {
                    -sig(fa - fb).ln()
                } else {
                    -(0.5 + e * (sig(fa) - sig(fb)) / 2.0).ln()
                }
            })
            .sum();
        if v < best {
            best = v;
            bw = m.w.clone();
            since = 0
        } else {
            since += 1;
            if since >= 10 {
                break;
            }
        }
    }
    bw
}
fn folds(w: &World) -> Vec<usize> {
    let mut rng = Rng(w.seed * 17 + 11);
    let mut f: Vec<usize> = (0..w.pairs.len()).map(|i| i % 5).collect();
    rng.shuffle(&mut f);
    f
}
/// Scores of both items of each pair by a scorer of the other folds.
fn out_of_fold(
    set: &Set,
    w: &World,
    fold: &[usize],
    mut scorer: impl FnMut(&[Answer]) -> Vec<f32>,
) -> Vec<[f64; 2]> {
    let all = w.answers();
    let mut z = vec![[0.0; 2]; w.pairs.len()];
    for f in 0..5 {
        let a: Vec<Answer> = all.iter().copied().filter(|a| fold[a.2] != f).collect();
        let m = scorer(&a);
        for (i, p) in w.pairs.iter().enumerate() {
            if fold[i] == f {
                z[i] = [dot(&m, &set.x[p.l]), dot(&m, &set.x[p.r])];
            }
        }
    }
    z
}
#[derive(Clone, Copy, Debug)]
struct Found {
    rates: Rates,
    scale: f64,
    lapse: f64,
    value: f64,
    gain: f64,
}
const SCALES: [f64; 9] = [0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0];
const DEGREES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// As replies/estimate.rs; errors drawn to `stated` with the weight of `strength` mixed answers (today: 0.1, 1).
fn estimate(w: &World, z: &[[f64; 2]], drawn: (f64, f64)) -> Found {
    estimate_clear(w, z, drawn, 3.0)
}
fn estimate_clear(w: &World, z: &[[f64; 2]], drawn: (f64, f64), clear: f64) -> Found {
    let ans: Vec<f64> = w.pairs.iter().map(|p| (p.n[0] + p.n[1]) as f64).collect();
    let odds = |scale: f64, lapse: f64| -> Vec<[f64; 2]> {
        let mut flat = vec![];
        for (z, n) in z.iter().zip(&ans) {
            for _ in 0..*n as usize {
                flat.push(scale * z[0]);
                flat.push(scale * z[1]);
            }
        }
        let c = level(&flat, w.pi, 1e-9);
        z.iter()
            .map(|z| {
                z.map(|z| {
                    let o = scale * z + c;
                    if lapse > 0.0 {
                        lapsed(o, lapse, w.pi)
                    } else {
                        o
                    }
                })
            })
            .collect()
    };
    let run = |o: &[[f64; 2]], start: Rates, rounds: usize| -> (Rates, f64) {
        let mut r = start;
        let mut value = 0.0;
        for round in 0..=rounds {
            let (mut rev, mut mix) = (0.0, 0.0);
            value = 0.0;
            for (p, o) in w.pairs.iter().zip(o) {
                let (j, s) = joint(p.n, r, o[0], o[1]);
                value += s.ln();
                rev += p.n[0] as f64 * j[2] + p.n[1] as f64 * j[1];
                mix += (p.n[0] + p.n[1]) as f64 * (j[1] + j[2]);
            }
            if round == rounds {
                break;
            }
            let e = ((rev + drawn.0 * drawn.1) / (mix + drawn.1)).clamp(0.005, 0.45);
            let moved = (e - r.err).abs();
            r.err = e;
            if moved < 1e-5 {
                break;
            }
        }
        // penalised, so that comparisons of values are of one objective
        if drawn.1 > 1.0 {
            value += drawn.1 * (drawn.0 * r.err.ln() + (1.0 - drawn.0) * (1.0 - r.err).ln());
        }
        (r, value)
    };
    let start = Rates { err: 0.1, kappa: 0.0 };
    let bases: Vec<_> = SCALES.iter().map(|s| odds(*s, 0.0)).collect();
    let at_degree = |k: f64| -> (Rates, f64, usize) {
        let mut b = (start, f64::NEG_INFINITY, 0);
        for (i, o) in bases.iter().enumerate() {
            let (r, v) = run(o, Rates { kappa: k, ..start }, 20);
            if v > b.1 {
                b = (r, v, i)
            }
        }
        b
    };
    let coins = at_degree(0.0);
    let mut best = coins;
    for k in DEGREES {
        let g = at_degree(k);
        if g.1 > coins.1 + clear && g.1 > best.1 {
            best = g
        }
    }
    let (mut r, mut v, mut at, mut lapse) = (best.0, best.1, best.2, 0.0);
    let (from, st) = (at, r);
    for l in [0.02, 0.05, 0.1, 0.2] {
        for i in from..9.min(from + 4) {
            let (r2, v2) = run(&odds(SCALES[i], l), st, 20);
            if v2 > v {
                r = r2;
                v = v2;
                at = i;
                lapse = l
            }
        }
    }
    let (r, v) = run(&odds(SCALES[at], lapse), r, 200);
    Found { rates: r, scale: SCALES[at], lapse, value: v, gain: best.1 - coins.1 }
}
fn scores(set: &Set, w: &[f32], on: &[usize]) -> Vec<f64> {
    on.iter().map(|&i| dot(w, &set.x[i])).collect()
}
fn spread(z: &[f64]) -> f64 {
    let n = z.len() as f64;
    let m = z.iter().sum::<f64>() / n;
    (z.iter().map(|v| (v - m).powi(2)).sum::<f64>() / n).sqrt()
}
fn quantile(z: &[f64], pi: f64) -> f64 {
    let mut p = z.to_vec();
    p.sort_by(f64::total_cmp);
    let k = (((1.0 - pi) * p.len() as f64).round() as usize).clamp(1, p.len() - 1);
    (p[k - 1] + p[k]) / 2.0
}
/// Of compared items by answers, as the library has them.
fn occurrences(w: &World) -> Vec<usize> {
    w.answers().iter().flat_map(|a| [a.0, a.1]).collect()
}
fn mixed(parts: &[(&[f32], f64)]) -> Vec<f32> {
    let mut o = vec![0.0; parts[0].0.len()];
    for (w, a) in parts {
        for (o, w) in o.iter_mut().zip(w.iter()) {
            *o += w * *a as f32;
        }
    }
    o
}
/// accuracy at 0, at the quantile, best, AUC
fn judge(set: &Set, w: &World, m: &[f32]) -> [f64; 4] {
    let q = quantile(&scores(set, m, &occurrences(w)), w.pi);
    let s = scores(set, m, &w.rest);
    let n = w.rest.len() as f64;
    let acc = |t: f64| s.iter().zip(&w.rest).filter(|(z, i)| (**z > t) == set.y[**i]).count() as f64 / n;
    let mut o: Vec<(f64, bool)> = s.iter().zip(&w.rest).map(|(z, &i)| (*z, set.y[i])).collect();
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
    [acc(0.0), acc(q), best / n, auc / np / nn]
}
fn print(set: &Set, w: &World, what: &str, m: &[f32], extra: &str) {
    let r = judge(set, w, m);
    println!(
        "{},{},{},{},{what},{:.4},{:.4},{:.4},{:.4},{extra}",
        set.name, w.pi, w.kappa, w.seed, r[0], r[1], r[2], r[3]
    );
}
fn args() -> (u64, u64, Vec<String>, Vec<f64>) {
    let a: Vec<String> = std::env::args().collect();
    let sets = if a.len() > 3 {
        a[3].split(',').map(String::from).collect()
    } else {
        ["pendigits", "optdigits", "usps", "mnist"].map(String::from).to_vec()
    };
    let ks = if a.len() > 4 {
        a[4].split(',').map(|v| v.parse().unwrap()).collect()
    } else {
        vec![0.0, 0.5, 1.0, 2.0, 4.0, 8.0]
    };
    (a[1].parse().unwrap(), a[2].parse().unwrap(), sets, ks)
}
