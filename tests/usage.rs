//! Laws of usage logs.

use std::collections::HashMap;
use std::path::PathBuf;

use proptest::prelude::*;
use toolscope::error::ErrorKind;
use toolscope::usage::{ALWAYS_KEPT, MOST_PER_SESSION, UsageFile, UsageLog};

const DAY: i64 = 86_400_000;

fn log() -> impl Strategy<Value = UsageLog> {
    proptest::collection::vec(("[a-c]/[a-c]", "[st]", 0..100 * DAY), 0..12).prop_map(|uses| {
        let mut log = UsageLog::new(30.0).expect("30 days are a half-life");
        for (id, session, at) in uses {
            log.record(&id, &session, at);
        }
        log
    })
}

fn merged(one: &UsageLog, other: &UsageLog) -> UsageLog {
    let mut both = one.clone();
    both.merge(other);
    both
}

proptest! {
    #[test]
    fn merging_is_commutative_associative_and_idempotent(a in log(), b in log(), c in log()) {
        prop_assert_eq!(merged(&a, &b).to_json(), merged(&b, &a).to_json());
        prop_assert_eq!(merged(&merged(&a, &b), &c).to_json(), merged(&a, &merged(&b, &c)).to_json());
        let both = merged(&a, &b);
        prop_assert_eq!(merged(&both, &b).to_json(), both.to_json());
        prop_assert!(both.covers(&a) && both.covers(&b));
    }

    #[test]
    fn json_keeps_everything(a in log(), b in log()) {
        let copy = UsageLog::from_json(&a.to_json()).unwrap();
        prop_assert_eq!(copy.to_json(), a.to_json());
        prop_assert_eq!(copy.rank(None, 0), a.rank(None, 0));
        // What a copy counts is counted apart, so that merging it back adds and never overwrites.
        let mut copy = copy;
        copy.record("a/a", "s", 0);
        let mut original = a.clone();
        original.record("a/a", "s", 0);
        prop_assert!(merged(&copy, &original).covers(&original) && merged(&copy, &b).covers(&b));
    }

    #[test]
    fn a_damaged_text_is_refused(text in any::<String>(), a in log(), at in 0_usize..200) {
        prop_assert!(UsageLog::from_json(&text).is_err());
        let whole = a.to_json();
        let cut: String = whole.chars().take(at.min(whole.len() - 1)).collect();
        prop_assert!(UsageLog::from_json(&cut).is_err());
    }
}

/// A log that fills what is always kept, so that a use which is old enough is forgotten.
fn full() -> UsageLog {
    let mut log = UsageLog::new(30.0).expect("30 days are a half-life");
    for count in 0..ALWAYS_KEPT {
        let at = i64::try_from(count).expect("ten thousand fit") * 1_000;
        log.record(&format!("full/{}", count % 100), &format!("{}", count / 100), NOW - at);
    }
    log
}

const NOW: i64 = 20_000 * DAY;

/// Days before now.
fn age() -> impl Strategy<Value = i64> {
    prop_oneof![0_i64..100, 550_i64..650, 550_i64..650, 2_000_i64..3_000, -1_000_i64..0]
}

fn forgetful(mut log: UsageLog) -> UsageLog {
    log.forget(NOW);
    log
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    // Three logs with copies of each other at several times; `1` of a step's `what` copies, `2` forgets.
    #[test]
    fn whoever_forgets_when_all_come_to_the_same(
        steps in proptest::collection::vec((0_usize..3, 0_u8..4, 0_usize..3, "[a-c]/[a-c]", "[st]", age()), 1..40),
    ) {
        let full = full();
        let mut logs = [merged(&UsageLog::new(30.0).unwrap(), &full), UsageLog::new(30.0).unwrap(), full.clone()];
        for (at, what, other, id, session, age) in steps {
            match what {
                0 => logs[at].forget(NOW),
                1 => {
                    let other = logs[other].clone();
                    logs[at].merge(&other);
                }
                // No session goes on in another log, a year later.
                _ => logs[at].record(&id, &format!("{session}{at}"), NOW - age * DAY),
            }
        }
        let [a, b, c] = &logs;
        let whole = forgetful(merged(&merged(a, b), c));
        let early = |log: &UsageLog| forgetful(log.clone());
        for other in [
            forgetful(merged(&merged(c, a), b)),
            forgetful(merged(&early(a), &merged(&early(b), c))),
            forgetful(merged(&early(&merged(a, &early(c))), &early(b))),
            forgetful(merged(&whole, &merged(b, &early(&whole)))),
        ] {
            // Nobody reads ten thousand counts that differ in one.
            prop_assert!(other.to_json() == whole.to_json(), "the logs differ");
            prop_assert!(other.rank(None, NOW) == whole.rank(None, NOW), "the ranks differ");
        }
        // What is left out is little, and what stays keeps its weight.
        let all = merged(&merged(a, b), c).rank(None, NOW);
        let left: HashMap<_, _> = whole.rank(None, NOW).into_iter().collect();
        for (id, weight) in all {
            prop_assert!(weight - left.get(&id).copied().unwrap_or_default() < 1e-3, "{} {}", id, weight);
        }
    }

    #[test]
    fn weights_follow_from_what_was_counted_and_not_from_what_was_asked(
        uses in proptest::collection::vec(("[a-c]/[a-c]", -4_000 * DAY..4_000 * DAY, any::<bool>()), 1..40),
        asked in proptest::collection::vec(-4_000 * DAY..4_000 * DAY, 40),
        half_life in prop_oneof![Just(30.0), Just(1e-300), Just(1e300), 0.001_f64..1e4],
    ) {
        let mut log = UsageLog::new(half_life).unwrap();
        for (count, ((id, at, merges), now)) in uses.iter().zip(&asked).enumerate() {
            let session = count.to_string();
            if *merges {
                let mut other = UsageLog::new(half_life).unwrap();
                other.record(id, &session, *at);
                log.merge(&other);
            } else {
                log.record(id, &session, *at);
            }
            let ranked = log.rank(None, *now);
            prop_assert_eq!(&ranked, &UsageLog::from_json(&log.to_json()).unwrap().rank(None, *now));
            // And they are what the documentation says.
            let taken = |at: i64| if at <= *now { at } else { now - (at - now) };
            let newest = uses[..=count].iter().map(|(_, at, _)| taken(*at)).max().unwrap();
            for (id, weight) in ranked {
                let ats = uses[..=count].iter().filter(|(of, ..)| of.as_str() == &*id).map(|(_, at, _)| *at);
                #[expect(clippy::cast_precision_loss, reason = "for a comparison")]
                let halvings = ats.map(|at| (newest - taken(at)) as f64 / DAY as f64 / half_life);
                let expected: f64 = halvings.map(|halvings| (-halvings).exp2()).sum();
                prop_assert!((weight - expected).abs() <= 1e-9 * expected.max(1e-290), "{}: {} {}", id, weight, expected);
            }
        }
    }
}

#[test]
fn a_log_that_is_not_full_forgets_nothing() {
    let mut log = full();
    log.record("a/old", "s", 0);
    let mut few = UsageLog::new(0.001).unwrap();
    few.record("a/old", "s", 0);
    few.record("a/new", "s", NOW);
    let before = few.to_json();
    few.forget(NOW);
    assert_eq!(few.to_json(), before);
    log.forget(NOW);
    assert!(log.rank(None, NOW).iter().all(|(id, _)| id.as_ref() != "a/old"));
    // Nor does a wrong clock make a log forget.
    let mut log = full();
    for session in 0..2 * ALWAYS_KEPT {
        log.record("a/ahead", &session.to_string(), NOW + 100_000 * DAY);
    }
    log.forget(NOW);
    assert_eq!(log.rank(None, NOW).len(), 101);
}

#[test]
fn a_file_forgets_too() {
    let folder = Folder::new("forgets");
    let file = UsageFile::new(folder.0.join("uses.json"));
    let mut log = full();
    let young = log.to_json();
    log.record("a/old", "s", 0);
    std::fs::write(file.path(), log.to_json()).unwrap();
    let (saved, _) = file.save(&log).unwrap();
    assert_eq!(saved.to_json(), young);
    assert_eq!(std::fs::read_to_string(file.path()).unwrap(), young);
    // And once it has, a copy that has not is no reason to write again.
    let written = std::fs::metadata(file.path()).unwrap().modified().unwrap();
    file.save(&log).unwrap();
    assert_eq!(std::fs::metadata(file.path()).unwrap().modified().unwrap(), written);
}

#[test]
fn a_use_that_is_dated_in_the_future_counts_as_one_as_long_ago() {
    let mut log = UsageLog::new(10.0).unwrap();
    log.record("a/now", "one", 100 * DAY);
    log.record("a/ahead", "one", 120 * DAY);
    log.record("a/hour", "one", 100 * DAY + 3_600_000);
    log.record("a/century", "one", 36_500 * DAY);
    let weight = |log: &UsageLog, id: &str, day: i64| {
        log.rank(None, day * DAY).into_iter().find(|tool| tool.0.as_ref() == id).unwrap().1
    };
    assert!((weight(&log, "a/now", 100) - 1.0).abs() < 1e-12);
    assert!((weight(&log, "a/ahead", 100) - 0.25).abs() < 1e-12);
    assert!(weight(&log, "a/hour", 100) > 0.99);
    assert!(weight(&log, "a/century", 100) < 1e-100);
    // Its day comes, and goes.
    assert!((weight(&log, "a/ahead", 120) - 1.0).abs() < 1e-12);
    log.record("a/now", "two", 140 * DAY);
    assert!((weight(&log, "a/ahead", 140) - 0.25).abs() < 1e-12);
}

#[test]
fn a_session_adds_a_bounded_weight() {
    let mut log = UsageLog::new(30.0).unwrap();
    for _ in 0..1_000 {
        log.record("a/loop", "one", 0);
    }
    for session in ["one", "two", "three"] {
        log.record("a/steady", session, 0);
    }
    let rank = log.rank(None, 0);
    assert_eq!((rank[0].0.as_ref(), rank[0].1), ("a/steady", 3.0));
    assert_eq!((rank[1].0.as_ref(), rank[1].1), ("a/loop", MOST_PER_SESSION));
}

#[test]
fn a_use_weighs_half_after_the_half_life() {
    let mut log = UsageLog::new(10.0).unwrap();
    log.record("a/old", "one", 0);
    log.record("a/new", "two", 10 * DAY);
    let rank = log.rank(None, 1_000 * DAY);
    assert_eq!(
        rank.iter().map(|(id, weight)| (id.as_ref(), *weight)).collect::<Vec<_>>(),
        [("a/new", 1.0), ("a/old", 0.5)]
    );
    // A date from a wrong clock does not make everything else worthless.
    log.record("a/future", "three", 1_000_000 * DAY);
    let rank = log.rank(None, 10 * DAY);
    assert!(rank.contains(&("a/new".into(), 1.0)), "{rank:?}");
}

#[test]
fn a_damaged_file_is_set_aside_and_said() {
    let folder = std::env::temp_dir().join(format!("toolscope-usage-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("uses.json");
    std::fs::write(&path, "{\"format\":\"toolscope-us").unwrap();
    let file = UsageFile::new(&path);
    let (log, damaged) = file.load().unwrap();
    assert!(log.rank(None, 0).is_empty());
    let damaged = damaged.unwrap();
    assert_eq!(std::fs::read_to_string(&damaged.moved_to).unwrap(), "{\"format\":\"toolscope-us");
    assert!(!path.exists());

    let mut log = log;
    log.record("a/b", "s", 0);
    file.save(&log).unwrap();
    let (read, damaged) = file.load().unwrap();
    assert_eq!((read.to_json(), damaged), (log.to_json(), None));
    std::fs::remove_dir_all(folder).unwrap();
}

/// A folder of its own for a test, and gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("toolscope-usage-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_file_of_a_newer_release_is_left_to_it() {
    let folder = Folder::new("newer");
    let path = folder.0.join("uses.json");
    for text in [
        r#"{"format":"toolscope-usage","version":2,"halfLifeDays":30.0,"tools":{}}"#,
        r#"{"version":4294967296,"format":"toolscope-usage","tools":[["a/b",1]],"more":null}"#,
    ] {
        let file = UsageFile::new(&path);
        std::fs::write(&path, text).unwrap();
        let mut log = UsageLog::new(30.0).unwrap();
        log.record("a/b", "s", 0);
        for error in [file.load().unwrap_err(), file.save(&log).unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::UsageFile);
            assert!(error.message().contains("newer release") && error.message().contains("upgrade"), "{error}");
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 2, "the file and its lock");
        let error = UsageLog::from_json(text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UsageInvalid);
        assert!(error.message().contains("upgrade"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_stays_where_it_is_and_as_private_as_it_was() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = std::env::temp_dir().join(format!("toolscope-usage-place-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (target, link) = (folder.join("uses.json"), folder.join("link.json"));
    let mut log = UsageLog::new(30.0).unwrap();
    log.record("a/b", "s", 0);
    UsageFile::new(&target).save(&log).unwrap();
    std::fs::set_permissions(&target, PermissionsExt::from_mode(0o600)).unwrap();
    symlink(&target, &link).unwrap();

    log.record("a/c", "s", 0);
    let linked = UsageFile::new(&link);
    linked.save(&log).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(UsageFile::new(&target).load().unwrap().0.to_json(), log.to_json());
    assert!(UsageFile::new("uses.json").path().is_absolute());
    std::fs::remove_dir_all(folder).unwrap();
}

#[cfg(unix)]
#[test]
fn a_link_leads_where_it_leads_before_there_is_a_file() {
    use std::os::unix::fs::symlink;

    let mut log = UsageLog::new(30.0).unwrap();
    log.record("a/b", "s", 0);
    for (name, chain) in [
        ("one", &[("link.json", "real/uses.json")][..]),
        ("two", &[("link.json", "far/again.json"), ("real/again.json", "uses.json"), ("far", "real")]),
        ("up", &[("link.json", "far/../uses.json"), ("far", "real/deep")]),
    ] {
        let folder = Folder::new(name);
        std::fs::create_dir_all(folder.0.join("real/deep")).unwrap();
        for (link, target) in chain {
            symlink(target, folder.0.join(link)).unwrap();
        }
        let linked = UsageFile::new(folder.0.join("link.json"));
        linked.save(&log).unwrap();
        assert!(std::fs::symlink_metadata(folder.0.join("link.json")).unwrap().is_symlink(), "{name}");
        let real = UsageFile::new(folder.0.join("real/uses.json"));
        assert_eq!((real.path(), real.load().unwrap().0.to_json()), (linked.path(), log.to_json()), "{name}");
    }
    // Links that lead round in a circle are an error, and not followed for good.
    let folder = Folder::new("circle");
    symlink("b", folder.0.join("a")).unwrap();
    symlink("a", folder.0.join("b")).unwrap();
    assert_eq!(UsageFile::new(folder.0.join("a")).load().unwrap_err().kind(), ErrorKind::UsageFile);
}

#[cfg(unix)]
#[test]
fn only_a_regular_file_is_read_or_written() {
    let folder = Folder::new("regular");
    let path = folder.0.join("uses.json");
    let mut log = UsageLog::new(30.0).unwrap();
    log.record("a/b", "s", 0);
    for pipe in ["uses.json", "uses.json.lock", "uses.json.new"] {
        let pipe = folder.0.join(pipe);
        // The lock of the turn before is of no account here.
        let _ = std::fs::remove_file(&pipe);
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let error = UsageFile::new(&path).save(&log).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UsageFile);
        assert!(error.message().contains("no regular file"), "{error}");
        std::fs::remove_file(&pipe).unwrap();
    }
    for device in ["/dev/null", "/dev/zero", "/dev/full"] {
        let error = UsageFile::new(device).load().unwrap_err();
        assert!(error.message().contains("no regular file"), "{error}");
    }
    UsageFile::new(&path).save(&log).unwrap();
}
