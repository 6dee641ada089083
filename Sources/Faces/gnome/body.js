
// The daemon has the timers and the parser. This shows what it says, and counts down in between.
const SOCKET = Gio.File.new_for_path(
  GLib.getenv('NIGHTJAR_SOCKET') || `${GLib.get_user_runtime_dir()}/nightjar/socket`);
const [SECOND, MINUTE, HOUR, DAY] = [1e6, 60e6, 3600e6, 86400e6];
const MOST_ROWS = 12;
const ABSENT = 'The daemon nightjard is not running.';
Gio._promisify(Gio.SocketClient.prototype, 'connect_async');
Gio._promisify(Gio.OutputStream.prototype, 'write_all_async');
Gio._promisify(Gio.DataInputStream.prototype, 'read_upto_async');

/** An error reply of the daemon, as a sentence. */
class Refusal extends Error {
  constructor({error, parameters: {reason, name, limit, parameter}}) {
    const words = error.replace(/.*\./, '').replace(/\B[A-Z]/g, ' $&').toLowerCase();
    super(reason ?? `${words}: ${name ?? limit ?? parameter}`);
  }
}

/** Calls a method of the daemon, and yields the parameters of its replies. A NUL ends a message. */
async function* replies(method, parameters, cancellable, more = false) {
  const connection = await new Gio.SocketClient({enable_proxy: false}).connect_async(
    Gio.UnixSocketAddress.new(SOCKET.get_path()), cancellable);
  try {
    const call = JSON.stringify({method: `org.nightjar.Timers.${method}`, parameters, more});
    const bytes = new TextEncoder().encode(`${call}\0`);
    await connection.get_output_stream().write_all_async(bytes, 0, cancellable);
    const input = Gio.DataInputStream.new(connection.get_input_stream());
    for (let reply = {continues: true}; reply.continues;) {
      const [text] = await input.read_upto_async('\0', 1, 0, cancellable);
      // This throws at the end of the connection.
      input.read_byte(null);
      reply = JSON.parse(text);
      if (reply.error)
        throw new Refusal(reply);
      yield reply.parameters;
    }
  } finally {
    connection.close(null);
  }
}

/** Text without characters that break its line or change its direction, as in VisibleText. */
const plain = text =>
  text.replace(/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, ' ');
const rings = t =>
  t.ringing === 'ringing' || t.ringing === 'unanswered' && ['over', 'waiting'].includes(t.state);
const counts = t => !rings(t) && (t.ringing === 'snoozed' || t.state === 'running' && !t.away);
const isUp = t => t.kind === 'stopwatch' && t.ringing !== 'snoozed';
const rank = t => t.ringing === 'ringing' ? 0 : rings(t) ? 1 : counts(t) ? isUp(t) ? 3 : 2 : 4;

/** The remaining time, or the elapsed time of a stopwatch, in microseconds. */
function time(t) {
  const passed = counts(t) ? GLib.get_monotonic_time() - t.seenUsec : 0;
  const left = t.ringing === 'snoozed' ? t.open_ring.left_usec : t.remaining_usec;
  return isUp(t) ? t.elapsed_usec + passed : Math.max(0, left - passed);
}

/** The time as a text, and in how many milliseconds the text changes. */
function clock(t) {
  const usec = time(t), step = usec < DAY ? SECOND : HOUR, rest = usec % step;
  const change = Math.floor((isUp(t) ? step - rest : rest || step) / 1000) + 1;
  const units = isUp(t) || usec >= DAY ? Math.floor(usec / step) : Math.ceil(usec / step);
  if (usec >= DAY)
    return [`${Math.floor(units / 24)} d ${units % 24} h`, change];
  const parts = [units / 3600, units / 60 % 60, units % 60].slice(units < 3600 ? 1 : 0);
  return [parts.map(part => String(Math.floor(part)).padStart(2, '0')).join(':'), change];
}

const status = t => rings(t) ? t.ringing
  : plain([t.step?.name, clock(t)[0], t.ringing ?? t.state, t.miss && 'did not ring']
    .filter(word => word && word !== 'running').join(' '));

/** The methods that a row has buttons for, each with its icon and its parameters. */
function buttons({state, kind, calendar, ringing, open_ring: ring}) {
  const isOver = ringing || state === 'over';
  return [
    [ringing, 'Snooze', null, {by_usec: 5 * MINUTE, expiry: ring?.expiry}],
    [isOver, 'Dismiss', null, {expiry: ring?.expiry}],
    [!isOver && state === 'running', 'Pause', 'media-playback-pause'],
    [!isOver && state === 'paused', 'Resume', 'media-playback-start'],
    [!isOver && state === 'waiting', 'Advance', 'media-skip-forward'],
    [!isOver && kind !== 'stopwatch' && !calendar, 'Extend', 'list-add', {by_usec: MINUTE}],
    [!isOver, 'Stop', 'window-close'],
  ].filter(([isOffered]) => isOffered).map(([, ...button]) => button);
}

function addLabel(box, text, style_class = '') {
  const label = new St.Label({text, style_class, y_align: Clutter.ActorAlign.CENTER});
  box.add_child(label);
  return label;
}

function addRow(menu) {
  const row = new PopupMenu.PopupBaseMenuItem({activate: false, hover: false, can_focus: false});
  menu.addMenuItem(row);
  return row;
}

const Indicator = GObject.registerClass(class NightjarIndicator extends PanelMenu.Button {
  _init() {
    super._init(0.5, 'Nightjar');
    const box = new St.BoxLayout({style_class: 'panel-status-menu-box'});
    box.add_child(new St.Icon({icon_name: 'alarm-symbolic', style_class: 'system-status-icon'}));
    this._label = addLabel(box, '');
    this.add_child(box);
    this.menu.box.add_style_class_name('nightjar-menu');
    this._list = new PopupMenu.PopupMenuSection();
    this.menu.addMenuItem(this._list);
    this._entry = new St.Entry({hint_text: 'tea 4min', can_focus: true, x_expand: true});
    this._entry.clutter_text.connect('text-changed', () => this._understand());
    this._entry.clutter_text.connect('activate', () => this._understand(true));
    addRow(this.menu).add_child(this._entry);
    this._readings = new PopupMenu.PopupMenuSection();
    this.menu.addMenuItem(this._readings);
    [this._timers, this._shown, this._attempt] = [new Map(), [], 0];
    this._cancellable = new Gio.Cancellable();
    this.connect('destroy', () => {
      [this._cancellable, this._asking, this._monitor].forEach(job => job?.cancel());
      this._wait(0);
    });
    this._follow();
  }

  /** Calls `action` in `msec` milliseconds, in place of what this waited for; 0: not at all. */
  _wait(msec, action) {
    if (this._source)
      GLib.source_remove(this._source);
    this._source = msec && GLib.timeout_add(GLib.PRIORITY_DEFAULT, msec, () => {
      this._source = 0;
      action();
      return GLib.SOURCE_REMOVE;
    });
  }

  /** Follows the timers. While the daemon is away, waits for a change of its socket's folder. */
  async _follow() {
    for (;;) {
      try {
        await this._watch();
      } catch (error) {
        if (this._cancellable.is_cancelled())
          return;
        // The daemon may have another ledger now, or no events as old as the last one.
        this._last = error instanceof Refusal ? null : this._last;
        this._isAway = true;
        this._show();
        await new Promise(resolve => this._awaitSocket(resolve));
      }
    }
  }

  _awaitSocket(resolve) {
    const folder = SOCKET.get_parent();
    this._connect = () => resolve(this._attempt = 0);
    this._monitor?.cancel();
    this._monitor = (folder.query_exists(null) ? folder : folder.get_parent())
      .monitor_directory(Gio.FileMonitorFlags.NONE, null);
    this._monitor.connect('changed', this._connect);
    // The file appears before the daemon listens, so there are attempts, 50, 100, 200 … ms apart.
    if (this._attempt < 6)
      this._wait(50 << this._attempt++, resolve);
  }

  /** Returns when all timers have to be listed again. */
  async _watch() {
    const timers = this._last ? this._timers : new Map();
    for await (const reply of replies('Watch', this._last ?? {}, this._cancellable, true)) {
      const {timer, event, synced} = reply, name = reply.name ?? event?.name;
      // An event about the machine, such as the end of a sleep, can move all times.
      if (!timer && !name && (event || reply.missed_after !== undefined))
        return void (this._last = null);
      if (timer)
        timers.set(timer.name, {...timer, seenUsec: GLib.get_monotonic_time()});
      else if (name && !event?.type.startsWith('action_'))
        timers.delete(name);
      if (synced)
        [this._timers, this._last] = [timers, {after: reply.seq, ledger: reply.ledger}];
      else if (!this._last)
        continue;
      this._last.after = event?.seq ?? this._last.after;
      [this._isAway, this._attempt] = [false, 0];
      this._show();
    }
  }

  _show() {
    const timers = this._isAway ? [] : [...this._timers.values()]
      .filter(t => t.state !== 'cancelled')
      .sort((a, b) => rank(a) - rank(b) || time(a) - time(b));
    this._first = timers[0];
    const {isOpen} = this.menu, more = timers.length - MOST_ROWS;
    this._shown = isOpen ? timers.slice(0, MOST_ROWS) : [];
    const note = !isOpen ? '' : this._isAway ? ABSENT : more > 0 ? `${more} more` : '';
    // Rows stay while all of them offer the same. A new row would not get the end of a click.
    const rows = this._shown.map(t => [t.name, buttons(t)]), list = JSON.stringify([rows, note]);
    if (this._rows !== list) {
      const focus = global.stage.get_key_focus();
      if (focus && this._list.actor.contains(focus))
        this._entry.grab_key_focus();
      this._list.removeAll();
      this._times = rows.map(row => this._addTimer(...row));
      if (note)
        addLabel(addRow(this._list), note);
      this._rows = list;
    }
    this._tick();
  }

  /** Shows the times, and waits until one changes. Nothing waits if none will. */
  _tick() {
    const first = this._first, isRing = first && rings(first);
    this._label.style_class = isRing ? 'nightjar-ring' : 'nightjar-time';
    this._label.text = isRing ? plain(first.name) : first && counts(first) ? clock(first)[0] : '';
    this._shown.forEach((t, index) => (this._times[index].text = status(t)));
    const changes = [first, ...this._shown].filter(t => t && counts(t)).map(t => clock(t)[1]);
    this._wait(changes.length && Math.min(...changes), () => this._tick());
  }

  /** Adds the row of a timer, and returns the label for its time. */
  _addTimer(name, methods) {
    const row = addRow(this._list);
    addLabel(row, plain(name)).x_expand = true;
    const label = addLabel(row, '', 'nightjar-time');
    for (const [method, icon, parameters] of methods) {
      const button = new St.Button({
        ...icon ? {icon_name: `${icon}-symbolic`} : {label: method},
        style_class: 'button nightjar-button', accessible_name: method, can_focus: true});
      button.connect('clicked', () => this._change(method, {name, ...parameters}));
      row.add_child(button);
    }
    return label;
  }

  /** Returns the parameters of the reply. If there is no reply, shows why. */
  async _ask(method, parameters, cancellable = this._cancellable) {
    try {
      for await (const reply of replies(method, parameters, cancellable))
        return reply;
    } catch (error) {
      if (!cancellable.is_cancelled())
        this._answer([{sentence: error instanceof Refusal ? error.message : ABSENT}]);
    }
    return null;
  }

  _change(method, parameters) {
    return this._ask(method, {...parameters, undo_id: GLib.uuid_string_random()});
  }

  /** Shows what the words in the entry mean. With `starts`, a single meaning is started. */
  async _understand(starts = false) {
    this._asking?.cancel();
    this._asking = new Gio.Cancellable();
    const words = this._entry.text.trim();
    const reply = words ? await this._ask('Understand', {words}, this._asking) : {readings: []};
    if (reply)
      this._answer(reply.readings);
    if (starts && reply?.readings.length === 1)
      this._start(reply.readings[0].start);
  }

  async _start(start) {
    if (start && await this._change('Start', start))
      this.menu.close();
  }

  /** Shows sentences below the entry. One with the parameters of Start can be clicked. */
  _answer(readings) {
    this._readings.removeAll();
    for (const {sentence, start} of readings) {
      const item = new PopupMenu.PopupMenuItem(plain(sentence), {reactive: Boolean(start)});
      item.label.clutter_text.line_wrap = true;
      // The signal of this name would close the menu, even if the daemon refuses.
      item.activate = () => this._start(start);
      this._readings.addMenuItem(item);
    }
  }

  turn(isOpen) {
    this._connect?.();
    isOpen ? this._entry.grab_key_focus() : this._entry.set_text('');
    this._show();
  }
});

let indicator;
function enable() {
  indicator = Main.panel.addToStatusArea('nightjar', new Indicator());
  // Connected after the panel's own handler, which takes the focus from the entry.
  indicator.menu.connect('open-state-changed', (_, isOpen) => indicator.turn(isOpen));
}

function disable() {
  indicator.destroy();
}
