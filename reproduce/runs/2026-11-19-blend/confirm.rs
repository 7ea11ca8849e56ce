include!("base.rs");
// The candidate rule, fixed on development seeds below 20000; confirmed once on 30000..30019.
use std::time::Instant;
fn fl(z: &[[f64; 2]]) -> f64 {
    spread(&z.iter().flatten().copied().collect::<Vec<_>>())
}
fn main() {
    let (seeds, first, sets, ks) = args();
    println!("dataset,prior,kappa,seed,what,zero,quantile,best,auc,extra");
    for name in sets {
        let set = load(&name);
        let mut times = [0.0f64; 6];
        for seed in first..first + seeds {
            for pi in [0.5, 0.2] {
                for &k in &ks {
                    let w = World::new(&set, pi, k, seed);
                    let ans = w.answers();
                    let fold = folds(&w);
                    let occ = occurrences(&w);
                    // today
                    let t = Instant::now();
                    let zl = out_of_fold(&set, &w, &fold, |a| stopped(&set, a, How::Likelihood, seed));
                    let f0 = estimate(&w, &zl, (0.1, 1.0));
                    let today = train(&set, &w, &ans, &opt(How::Posterior, f0.rates));
                    times[0] += t.elapsed().as_secs_f64();
                    print(&set, &w, "today", &today, &format!("{:.3}/{:.2}", f0.rates.err, f0.rates.kappa));
                    let plain = train(
                        &set,
                        &w,
                        &ans,
                        &Opt { joined: false, ..opt(How::Posterior, Rates { err: E, kappa: 0.0 }) },
                    );
                    print(&set, &w, "plain", &plain, "");
                    // the rule
                    let t = Instant::now();
                    let ob = opt(How::Rank, Rates { err: E, kappa: 0.0 });
                    let zb = out_of_fold(&set, &w, &fold, |x| {
                        train(&set, &w, x, &Opt { epochs: 40, ..ob.clone() })
                    });
                    times[1] += t.elapsed().as_secs_f64();
                    let t = Instant::now();
                    let f = estimate(&w, &zb, (0.1, 1.0));
                    times[2] += t.elapsed().as_secs_f64();
                    let graded = f.rates.kappa > 0.0;
                    let sh = if graded { (1.0 - 3.0 / f.gain).max(0.0) } else { 0.0 };
                    let o = Opt {
                        ksd: sh * f.rates.kappa * f.scale * fl(&zb),
                        joined: graded,
                        ..opt(How::Posterior, f.rates)
                    };
                    let t = Instant::now();
                    let a = train(&set, &w, &ans, &o);
                    let b = train(&set, &w, &ans, &ob);
                    times[3] += t.elapsed().as_secs_f64();
                    let mut ds = vec![];
                    for ep in [30] {
                        let t = Instant::now();
                        let za = out_of_fold(&set, &w, &fold, |x| {
                            train(&set, &w, x, &Opt { epochs: ep, warm: ep / 4, ..o.clone() })
                        });
                        if ep == 30 {
                            times[4] += t.elapsed().as_secs_f64();
                        }
                        let t = Instant::now();
                        ds.push(f.value - estimate(&w, &za, (0.1, 1.0)).value);
                        if ep == 30 {
                            times[5] += t.elapsed().as_secs_f64();
                        }
                    }
                    let d = ds[0];
                    let w3 = if sig(d / 2.0) < 0.02 { 0.0 } else { sig(d / 2.0) };
                    print(&set, &w, "rank", &b, "");
                    print(&set, &w, "A@0", &a, &format!("{:.3}/{:.3}/{:.1}", o.rates.err, o.ksd, f.gain));
                    let sc = scores(&set, &a, &occ);
                    let share_above =
                        |t: f64| sc.iter().filter(|v| **v > t).count() as f64 / occ.len() as f64;
                    let s = if graded { share_above(-level(&sc, pi, 1e-9)) } else { share_above(0.0) };
                    let (ia, ib) = (spread(&sc), spread(&scores(&set, &b, &occ)));
                    for (n, wt) in [("rule", w3), ("rule w=0", 0.0)] {
                        let u = if graded { 0.5 } else { wt / 2.0 };
                        let m = mixed(&[(&a, (1.0 - wt) / ia), (&b, wt / ib)]);
                        let cut = quantile(&scores(&set, &m, &occ), (1.0 - u) * s + u * pi);
                        let acc = w.rest.iter().filter(|i| (dot(&m, &set.x[**i]) > cut) == set.y[**i]).count()
                            as f64
                            / w.rest.len() as f64;
                        println!(
                            "{},{},{},{},{n},0,{acc:.4},0,0,{wt:.3} {d:.2} {s:.3}",
                            set.name, w.pi, w.kappa, w.seed
                        );
                    }
                }
            }
        }
        eprintln!("{name}: seconds today {:.2}; rank folds {:.2}, rates {:.2}, A and B {:.2}, A folds {:.2}, value {:.2}: {:.2} times", times[0], times[1], times[2], times[3], times[4], times[5], times[1..].iter().sum::<f64>() / times[0]);
    }
}
