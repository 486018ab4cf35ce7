//! All parties, on this machine.

use crate::Outcome;
use crate::liar::CLAIMS;
use crate::wire::{Agreed, Collected, Shared, Status, ask, send, write};
use karcher::noise::{Generator, Law};
use karcher::nonprivate::FrechetMean;
use karcher::sampler::Isotropic;
use karcher::{Points, ReleaseSpec, Space};
use karcher_aggregate::{Journal, Mode, SecretKey, VerifyKey};
use serde::de::DeserializeOwned;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// Sites.
const SITES: usize = 5;

/// Records of a site with matrices.
const MATRICES: usize = 200;

/// Persons where it is not about time.
const FEW: usize = 200;

/// A budget whose noise is so small that the release is the mean of the records.
const HUGE: f64 = 1e6;

/// A release, and the records of each site.
struct Setting {
    spec: ReleaseSpec,
    mode: Mode,
    sites: Vec<Vec<f64>>,
    /// The statistic of all records, without privacy.
    mean: Vec<f64>,
}

/// Everything that is different from one run to the next.
#[derive(Clone, Copy, PartialEq)]
enum Course {
    /// All parties are honest, and none stops.
    Calm,
    /// There is a dishonest reporter, and an aggregator is killed after it wrote its journal.
    Rough,
}

/// What a run cost, and what came out.
struct Run {
    shared: Vec<Shared>,
    statuses: [Status; 2],
    collected: Collected,
    report_seconds: f64,
    distance: f64,
    claims: Vec<(String, bool)>,
}

pub fn run(persons: usize) -> Outcome<()> {
    let directions = Setting::directions(persons, 1.0)?;
    let matrices = Setting::matrices(1.0)?;
    println!("persons: {persons} at {SITES} sites, extrinsic mean on sphere:2, μ = 1");
    println!("sites:   {SITES} with {MATRICES} matrices each, Fréchet mean on spd-log-euclidean:22, μ = 1\n");
    let (directions, matrices) = (directions.run(Course::Calm)?, matrices.run(Course::Calm)?);
    table(&directions, &matrices);

    let mut claims = Setting::directions(FEW, 1.0)?.run(Course::Rough)?.claims;
    for (name, setting) in [("persons", Setting::directions(FEW, HUGE)?), ("sites", Setting::matrices(HUGE)?)] {
        let run = setting.run(Course::Calm)?;
        let (distance, expected) = (run.distance, run.collected.expected_distance);
        let claim = format!("{name}, μ = 10⁶: {distance:.2e} from the mean without privacy, {expected:.2e} expected");
        claims.push((claim, distance < 4.0 * expected));
    }
    let findings = [&directions, &matrices].iter().all(|run| run.collected.findings.is_empty());
    claims.push(("both releases pass the checks of karcher verify".to_owned(), findings));
    println!();
    for (claim, holds) in &claims {
        println!("{}  {claim}", if *holds { "holds" } else { "FAILS" });
    }
    println!("\nAt μ = 10⁶ the noise of the sites is Laplace's, which is far smaller at such a budget.");
    println!("The test the_integers_are_those_of_one_process compares the released integers to the last bit.");
    if claims.iter().all(|(_, holds)| *holds) { Ok(()) } else { Err("not everything holds".into()) }
}

/// Prints what two runs cost.
fn table(persons: &Run, sites: &Run) {
    let row = |what: &str, of: &dyn Fn(&Run) -> String| println!("{what:<46}{:>14}{:>14}", of(persons), of(sites));
    let aggregator = |what: &str, of: &dyn Fn(&Status) -> String| {
        for i in 0..2 {
            row(&format!("{what}, aggregator {}", i + 1), &|run| of(&run.statuses[i]));
        }
    };
    row("", &|run| if run.shared[0].reports == 1 { "sites" } else { "persons" }.to_owned());
    row("reports", &|run| run.collected.reports.to_string());
    row("share a report, ms", &|run| format!("{:.2}", 1e3 * run.per_report(|shared| shared.seconds)));
    for i in 0..2 {
        row(&format!("size of a report, bytes, aggregator {}", i + 1), &|run| {
            format!("{:.0}", run.per_report(|shared| shared.bytes[i] as f64))
        });
    }
    row("share and send all, five sites at once, s", &|run| format!("{:.2}", run.report_seconds));
    aggregator("check, s", &|status| format!("{:.3}", status.check_seconds));
    aggregator("add, s", &|status| format!("{:.3}", status.add_seconds));
    row("combine, s", &|run| format!("{:.4}", run.collected.seconds));
    aggregator("peak memory, MiB", &|status| status.peak.map_or("–".to_owned(), |peak| format!("{peak:.0}")));
    row("distance from the mean without privacy", &|run| format!("{:.2e}", run.distance));
    row("expected distance", &|run| format!("{:.2e}", run.collected.expected_distance));
}

impl Run {
    fn per_report(&self, of: impl Fn(&Shared) -> f64) -> f64 {
        self.shared.iter().map(of).sum::<f64>() / self.shared.iter().map(|shared| shared.reports as f64).sum::<f64>()
    }
}

impl Setting {
    /// Directions of persons, about a common one.
    fn directions(persons: usize, mu: f64) -> Outcome<Self> {
        let spec = json!({"spec": 1, "statistic": "extrinsic-mean", "manifold": "sphere:2",
                          "budget": {"definition": "gaussian", "mu": mu}});
        let sites = records("sphere:2", persons, 0.5)?;
        let mut mean = [0.0; 3];
        for x in sites.iter().flat_map(|records| records.chunks_exact(3)) {
            mean.iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
        }
        let length = mean.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mean = mean.map(|x| x / length).to_vec();
        Ok(Self { spec: serde_json::from_value(spec)?, mode: Mode::Persons, sites, mean })
    }

    /// Covariance matrices of 22 channels.
    fn matrices(mu: f64) -> Outcome<Self> {
        let manifold = "spd-log-euclidean:22".parse::<Space>()?.manifold()?;
        let mut center = vec![0.0; manifold.point_len()];
        manifold.origin(&mut center);
        let spec = json!({"spec": 1, "statistic": "frechet-mean", "manifold": "spd-log-euclidean:22",
                          "ball": {"center": center, "radius": 3.0},
                          "budget": {"definition": "gaussian", "mu": mu}});
        let sites = records("spd-log-euclidean:22", SITES * MATRICES, 0.1)?;
        let mean = FrechetMean::new(&*manifold).fit(Points::new(&*manifold, sites.concat())?.view())?;
        Ok(Self { spec: serde_json::from_value(spec)?, mode: Mode::Sites, sites, mean })
    }

    /// Runs all parties, and waits for them.
    fn run(&self, course: Course) -> Outcome<Run> {
        let folder = tempfile::tempdir()?;
        let at = folder.path();
        let manifold = self.spec.space_of_records()?;
        let n = self.sites.concat().len() / manifold.point_len();
        // the dishonest reporter is one of the persons
        let n = n + usize::from(course == Course::Rough);
        let verify = VerifyKey::generate()?;
        let secret = [SecretKey::generate(&verify)?, SecretKey::generate(&verify)?];
        let keys = secret.each_ref().map(SecretKey::public);
        let agreed = Agreed { spec: self.spec.clone(), n, mode: self.mode, name: "example".to_owned(), keys };
        let agreed = serde_json::to_vec(&agreed)?;
        let task_file = at.join("task.json");
        write(&task_file, &agreed)?;
        let folders = ["a", "b"].map(|name| at.join(name));
        for (folder, secret) in folders.iter().zip(&secret) {
            std::fs::create_dir(folder)?;
            write(&folder.join("task.json"), &agreed)?;
            write(&folder.join("own.key"), &serde_json::to_vec(secret)?)?;
            Journal::create(folder.join("own.journal"), &secret.public())?;
        }
        let ports = free_ports()?;
        let ports: [&str; 2] = [&ports[0], &ports[1]];
        let aggregator = |i: usize, hold: bool| -> Outcome<Process> {
            let mut args = vec!["aggregator", ports[i], path(&folders[i])?, ports[1 - i]];
            args.extend(hold.then_some("hold"));
            Process::start(&args)
        };
        let mut aggregators = [aggregator(0, false)?, aggregator(1, course == Course::Rough)?];
        let mut claims = vec![];
        if course == Course::Rough {
            let held: Vec<bool> = Process::start(&["liar", path(&task_file)?, ports[0], ports[1]])?.result()?;
            claims.extend(CLAIMS.map(str::to_owned).into_iter().zip(held));
        }

        let started = Instant::now();
        let shared = self.share(at, &agreed, ports)?;
        let report_seconds = started.elapsed().as_secs_f64();
        let mut collector = Process::start(&["collector", path(&task_file)?, ports[0], ports[1]])?;
        if course == Course::Rough {
            aggregators[1].wait_for("written")?;
            aggregators[1].kill()?;
            let task = serde_json::from_slice::<Agreed>(&agreed)?.task()?;
            let written = Journal::open(folders[1].join("own.journal"))?.sum(&task)?;
            let written = serde_json::to_vec(&written.ok_or("the journal has no sum")?)?;
            aggregators[1] = aggregator(1, false)?;
            let sent = ask("POST", ports[1], "/sum", b"")?;
            claims.push(("an aggregator that was killed sends the sum of its journal".to_owned(), sent == written));
            aggregators[0].kill()?;
            aggregators[0] = aggregator(0, false)?;
            let late = send("POST", ports[0], "/reports", b"")?.0 == 410;
            claims.push(("a late report is refused, also after a restart".to_owned(), late));
        }
        let collected: Collected = collector.result()?;
        if course == Course::Rough {
            let claim = format!("a report with a wrong proof is left out: {} of {n} are counted", collected.reports);
            claims.push((claim, collected.reports == n - 1));
        }
        let status =
            |i: usize| -> Outcome<Status> { Ok(serde_json::from_slice(&ask("GET", ports[i], "/status", b"")?)?) };
        let distance = self.spec.manifold()?.dist(&collected.value, &self.mean);
        Ok(Run { shared, statuses: [status(0)?, status(1)?], collected, report_seconds, distance, claims })
    }

    /// Starts all sites and waits for their reports.
    fn share(&self, at: &Path, agreed: &[u8], ports: [&str; 2]) -> Outcome<Vec<Shared>> {
        let mut sites = vec![];
        for (i, records) in self.sites.iter().enumerate() {
            let folder = at.join(format!("site{i}"));
            std::fs::create_dir(&folder)?;
            write(&folder.join("task.json"), agreed)?;
            write(&folder.join("records.json"), &serde_json::to_vec(records)?)?;
            sites.push(Process::start(&["site", path(&folder)?, ports[0], ports[1]])?);
        }
        sites.iter_mut().map(Process::result).collect()
    }
}

/// Records about a point at distance 1 from the origin, the list of each site.
fn records(space: &str, n: usize, spread: f64) -> Outcome<Vec<Vec<f64>>> {
    let manifold = space.parse::<Space>()?.manifold()?;
    let law = Isotropic::new(manifold.clone(), Law::Gaussian, spread)?;
    let mut origin = vec![0.0; manifold.point_len()];
    manifold.origin(&mut origin);
    let (mut vector, mut middle) = (origin.clone(), origin.clone());
    let direction: Vec<f64> = (0..manifold.dim()).map(|i| if i == 0 { 1.0 } else { 0.0 }).collect();
    manifold.from_frame(&origin, &direction, &mut vector);
    manifold.exp(&origin, &vector, &mut middle);
    let mut generator = Generator::seeded(1);
    let site = |i: usize| -> Outcome<Vec<f64>> {
        let mut values = vec![0.0; (n * (i + 1) / SITES - n * i / SITES) * middle.len()];
        for x in values.chunks_exact_mut(middle.len()) {
            law.sample(&middle, &mut generator, x)?;
        }
        Ok(values)
    };
    (0..SITES).map(site).collect()
}

/// A process of this example. It ends with this value.
struct Process {
    child: Child,
    role: String,
    output: BufReader<std::process::ChildStdout>,
}

impl Process {
    fn start(args: &[&str]) -> Outcome<Self> {
        let mut child = Command::new(std::env::current_exe()?).args(args).stdout(Stdio::piped()).spawn()?;
        let output = BufReader::new(child.stdout.take().ok_or("a process has no output")?);
        Ok(Self { child, role: args.first().copied().unwrap_or_default().to_owned(), output })
    }

    /// What the process prints.
    fn result<T: DeserializeOwned>(&mut self) -> Outcome<T> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let status = self.child.wait()?;
        if !status.success() {
            return Err(format!("the {} failed ({status})", self.role).into());
        }
        Ok(serde_json::from_str(&line)?)
    }

    fn wait_for(&mut self, expected: &str) -> Outcome<()> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        if line.trim() == expected { Ok(()) } else { Err(format!("the {} ended too early", self.role).into()) }
    }

    fn kill(&mut self) -> Outcome<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.kill(); // it may have ended
    }
}

/// Two ports that are free now.
fn free_ports() -> Outcome<[String; 2]> {
    let both = [TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?];
    Ok([both[0].local_addr()?.port().to_string(), both[1].local_addr()?.port().to_string()])
}

fn path(path: &Path) -> Outcome<&str> {
    path.to_str().ok_or_else(|| "the folder for temporary files has a name that is no text".into())
}
