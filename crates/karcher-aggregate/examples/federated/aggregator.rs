//! An aggregator: it takes reports until it is closed, and gives its noisy sum to the collector.
//!
//! All that it must not lose is in its folder before it answers: keys, reports, what it checked, and the journal. So it
//! can be killed at any time and started again.

use crate::Outcome;
use crate::wire::{Agreed, LARGEST, Receipt, Status, ask, read, write};
use karcher_aggregate::{Aggregator, Checked, Journal, Report, SecretKey, Task};
use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tiny_http::{Method, Request, Response, Server};

/// Requests that are answered at a time. Each aggregator asks the other one while the collector waits.
const THREADS: usize = 4;

/// The file of reports, one a line.
const REPORTS: &str = "reports.jsonl";

/// An answer: a status and a sentence.
type Answer = Outcome<(u16, Vec<u8>)>;

struct Party {
    task: Task,
    aggregator: Aggregator,
    folder: PathBuf,
    other: String,
    /// Whether it stops between its journal and its answer, to be killed there.
    hold: bool,
    is_closed: AtomicBool,
    received: Mutex<Received>,
    status: Mutex<Status>,
}

/// The reports, which are also in a file.
#[derive(Default)]
struct Received {
    ids: HashSet<String>,
    reports: Vec<Report>,
}

pub fn run(port: &str, folder: &str, other: &str, hold: bool) -> Outcome<()> {
    let party = Party::open(Path::new(folder), other, hold)?;
    let server = Server::http(format!("127.0.0.1:{port}"))
        .map_err(|error| format!("port {port} cannot be used ({error}): choose another one"))?;
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Ok(request) = server.recv() {
                    party.serve(request);
                }
            });
        }
    });
    Ok(())
}

impl Party {
    fn open(folder: &Path, other: &str, hold: bool) -> Outcome<Self> {
        let task = read::<Agreed>(&folder.join("task.json"))?.task()?;
        let key: SecretKey = read(&folder.join("own.key"))?;
        Ok(Self {
            task,
            aggregator: Aggregator::new(key),
            folder: folder.to_owned(),
            other: other.to_owned(),
            hold,
            is_closed: AtomicBool::new(folder.join("checked.json").exists()),
            received: Mutex::new(Received::open(&folder.join(REPORTS))?),
            status: Mutex::default(),
        })
    }

    fn serve(&self, mut request: Request) {
        let answer = match (request.method().clone(), request.url()) {
            (Method::Post, "/reports") => self.receive(&mut request),
            (Method::Post, "/close") => self.close(),
            (Method::Get, "/checked") => self.checked(),
            (Method::Post, "/sum") => self.sum(),
            (Method::Get, "/status") => self.status(),
            _ => Ok((404, b"there is no such address".to_vec())),
        };
        let (status, body) = answer.unwrap_or_else(|error| (500, error.to_string().into_bytes()));
        // A client that went away asks again.
        let _ = request.respond(Response::from_data(body).with_status_code(status));
    }

    /// Takes reports, one a line. What is no report of this task is left out: it must not stop the others.
    fn receive(&self, request: &mut Request) -> Answer {
        let mut body = vec![];
        request.as_reader().take(LARGEST + 1).read_to_end(&mut body)?;
        if body.len() as u64 > LARGEST {
            return Ok((413, format!("a message may have {LARGEST} bytes: send fewer reports at a time").into_bytes()));
        }
        let mut receipt = Receipt::default();
        let mut new = vec![];
        for line in body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice::<Report>(line) {
                Ok(report) if report.is_for(&self.task) => new.push((report, line)),
                Ok(_) => receipt.of_another_task += 1,
                Err(_) => receipt.unreadable += 1,
            }
        }
        let late = || Ok((410, b"the release is closed: no more reports are taken".to_vec()));
        if self.is_closed.load(Ordering::SeqCst) {
            return late();
        }
        let mut received = lock(&self.received);
        if self.is_closed.load(Ordering::SeqCst) {
            return late();
        }
        let (mut lines, mut taken) = (vec![], Received::default());
        for (report, line) in new {
            if received.ids.contains(report.id()) || !taken.ids.insert(report.id().to_owned()) {
                receipt.known += 1;
                continue;
            }
            lines.extend_from_slice(line);
            lines.push(b'\n');
            taken.reports.push(report);
        }
        append(&self.folder.join(REPORTS), &lines)?;
        receipt.taken = taken.reports.len();
        received.ids.extend(taken.ids);
        received.reports.extend(taken.reports);
        Ok((200, serde_json::to_vec(&receipt)?))
    }

    /// Takes no more reports, and checks those that are there.
    fn close(&self) -> Answer {
        let received = lock(&self.received);
        if !self.is_closed.load(Ordering::SeqCst) {
            let started = Instant::now();
            let checked = self.aggregator.check(&self.task, &received.reports, &self.journal()?)?;
            lock(&self.status).check_seconds = started.elapsed().as_secs_f64();
            write(&self.folder.join("checked.json"), &serde_json::to_vec(&checked)?)?;
            self.is_closed.store(true, Ordering::SeqCst);
        }
        Ok((200, vec![]))
    }

    /// What this aggregator checked, for the other one.
    fn checked(&self) -> Answer {
        match self.is_closed.load(Ordering::SeqCst) {
            true => Ok((200, std::fs::read(self.folder.join("checked.json"))?)),
            false => Ok((409, b"reports are still taken: close the release first".to_vec())),
        }
    }

    /// The noisy sum: that in the journal, or a new one, which is in the journal before it is sent.
    fn sum(&self) -> Answer {
        let received = lock(&self.received);
        let mut journal = self.journal()?;
        if let Some(sent) = journal.sum(&self.task)? {
            return Ok((200, serde_json::to_vec(&sent)?));
        }
        if !self.is_closed.load(Ordering::SeqCst) {
            return Ok((409, b"reports are still taken: close the release first".to_vec()));
        }
        let other: Checked = serde_json::from_slice(&ask("GET", &self.other, "/checked", b"")?)?;
        let started = Instant::now();
        let sum = self.aggregator.add_up(&self.task, &received.reports, &other, &journal)?.with_noise(&mut journal)?;
        lock(&self.status).add_seconds = started.elapsed().as_secs_f64();
        if self.hold {
            println!("written");
            std::thread::sleep(Duration::from_secs(600));
        }
        Ok((200, serde_json::to_vec(&sum)?))
    }

    fn journal(&self) -> Outcome<Journal> {
        Ok(Journal::open(self.folder.join("own.journal"))?)
    }

    fn status(&self) -> Answer {
        let status = Status { received: lock(&self.received).reports.len(), peak: peak(), ..*lock(&self.status) };
        Ok((200, serde_json::to_vec(&status)?))
    }
}

impl Received {
    /// The reports in a file. The last line may have been cut off, when the aggregator was killed; it was not confirmed.
    fn open(path: &Path) -> Outcome<Self> {
        let known = if path.exists() { std::fs::read(path)? } else { vec![] };
        let whole = known.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let lines = known[..whole].split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let reports: Vec<Report> = lines.map(serde_json::from_slice).collect::<Result<_, _>>()?;
        if whole < known.len() {
            OpenOptions::new().write(true).open(path)?.set_len(whole as u64)?;
        }
        Ok(Self { ids: reports.iter().map(|report| report.id().to_owned()).collect(), reports })
    }
}

/// Adds lines to a file, all or none.
fn append(path: &Path, lines: &[u8]) -> Outcome<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let before = file.metadata()?.len();
    if let Err(error) = file.write_all(lines).and_then(|()| file.sync_data()) {
        file.set_len(before)?;
        return Err(format!("{} cannot be written ({error})", path.display()).into());
    }
    Ok(())
}

/// The most memory that this process used, in MiB.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? / 1024.0)
}

/// What a lock holds, also after another thread failed.
fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
