//! Laws of usage logs.

use std::path::PathBuf;

use proptest::prelude::*;
use toolscope::error::ErrorKind;
use toolscope::usage::{MOST_PER_SESSION, UsageFile, UsageLog};

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
        std::fs::create_dir_all(&folder).unwrap();
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
