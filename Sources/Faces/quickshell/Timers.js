// The logic of shell.qml: it makes the messages for nightjard, and reads what comes back (org.nightjar.Timers(7)). It
// has no engine, no parser and no clock: it counts down to the time that the daemon named. QML's engine runs it; it
// uses nothing newer than ECMAScript 2016.

const AWAY = "nightjard is away";

function message(method, parameters, more) {
  const call = {method: "org.nightjar.Timers." + method, parameters: parameters};
  if (more) call.more = true;
  return JSON.stringify(call) + "\0";
}

// What is known of the timers, by their names.
function empty() { return {timers: {}, isComplete: false, seq: 0, ledger: ""}; }

// The first message of a connection: after a break, it asks for what has happened since.
function watch(known) {
  if (!known.isComplete) known.timers = {};
  return message("Watch", known.isComplete ? {after: known.seq, ledger: known.ledger} : {}, true);
}

// Applies a reply of Watch. False: what is known has to be read anew, over another connection.
function apply(known, text, nowUsec) {
  const reply = JSON.parse(text).parameters || {}, timer = reply.timer, event = reply.event;
  if (event) known.seq = event.seq;
  if (reply.synced) {
    known.isComplete = true;
    known.seq = reply.seq;
    known.ledger = reply.ledger;
  } else if (timer) {
    known.timers[timer.name] = Object.assign({seen_usec: nowUsec}, timer);
  } else if (reply.name) {
    delete known.timers[reply.name];
  } else if (!event || !event.name) {
    // An event of the machine, such as the end of a sleep, may change what each timer shows. An error is that the
    // daemon has begun another ledger, or that this client was too slow.
    return false;
  } else if (event.type.indexOf("action_") !== 0) {
    delete known.timers[event.name];
  }
  return true;
}

// How long a timer still runs, in microseconds; for a stopwatch, the whole seconds that it has run.
function remaining(timer, nowUsec) {
  const runs = timer.state === "running" && !timer.away;
  if (timer.kind === "stopwatch") {
    return Math.floor((timer.elapsed_usec + (runs ? nowUsec - timer.seen_usec : 0)) / 1000000) * 1000000;
  }
  return runs && timer.deadline_usec !== undefined ? timer.deadline_usec - nowUsec : timer.remaining_usec;
}

function clock(usec) {
  const seconds = Math.max(0, Math.ceil(usec / 1000000));
  const two = number => String(number).padStart(2, "0");
  const rest = two(Math.floor(seconds / 60) % 60) + ":" + two(seconds % 60);
  return seconds < 3600 ? rest : two(Math.floor(seconds / 3600)) + ":" + rest;
}

// The rows to show: what rings comes first, then what runs, by its end. The texts are plain: a name may have any signs.
function rows(known, nowUsec) {
  const rank = timer => timer.ringing === "ringing" ? 0 : timer.state === "running" ? 1 : 2;
  const list = Object.keys(known.timers).map(name => known.timers[name]);
  list.sort((a, b) => rank(a) - rank(b) || remaining(a, nowUsec) - remaining(b, nowUsec));
  return list.map(timer => ({
    name: timer.name,
    step: timer.step ? timer.step.name : "",
    time: timer.ringing || clock(remaining(timer, nowUsec)),
    rings: timer.ringing !== undefined,
    counts: timer.state === "running" && !timer.away,
    state: timer.state,
    canExtend: timer.kind !== "stopwatch" && timer.state !== "waiting",
  }));
}

// The changes that a row offers, each with its method and parameters. A person can undo them with `nightjar undo`.
function changes(row) {
  const undo = "quickshell-" + Date.now();
  const change = (label, method, more) =>
    ({label: label, method: method, parameters: Object.assign({name: row.name, undo_id: undo}, more)});
  if (row.rings) return [change("Dismiss", "Dismiss", {}), change("5 min", "Snooze", {by_usec: 300000000})];
  const [label, method] = {paused: ["Resume", "Resume"], waiting: ["Next", "Advance"]}[row.state] || ["Pause", "Pause"];
  const more = row.canExtend ? [change("+1 min", "Extend", {by_usec: 60000000})] : [];
  return [change(label, method, {}), ...more, change("Cancel", "Cancel", {})];
}

// The calls of the second connection, which are answered in their order. `send` writes a text to it, and returns
// whether there is a connection. `done` gets the parameters of a reply, or null and a sentence about the mistake.
function calls(send) {
  const waiting = [];
  return {
    ask(method, parameters, done) {
      if (send(message(method, parameters))) waiting.push(done);
      else done(null, AWAY);
    },
    answered(text) {
      const reply = JSON.parse(text), mistake = reply.parameters && reply.parameters.reason || reply.error;
      waiting.shift()(reply.error ? null : reply.parameters, reply.error ? mistake : "");
    },
    // The connection has ended.
    lost() { while (waiting.length) waiting.shift()(null, AWAY); },
  };
}
