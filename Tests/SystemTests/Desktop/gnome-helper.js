// An extension of GNOME 43 for the tests: it lets the tests run code in the shell, as `nightjarTest`.
const {Clutter, GLib} = imports.gi;

// The sources that the extension under test has added to the main loop.
const sources = new Set();
for (const name of ['idle_add', 'timeout_add', 'timeout_add_seconds']) {
  const add = GLib[name];
  GLib[name] = (...parameters) => {
    const id = add(...parameters);
    if (new Error().stack.includes('nightjar@nightjar.org'))
      sources.add(id);
    return id;
  };
}

const devices = {};
function device(type) {
  devices[type] ??= Clutter.get_default_backend().get_default_seat().create_virtual_device(
    Clutter.InputDeviceType[type]);
  return devices[type];
}

globalThis.nightjarTest = {
  get face() { return imports.ui.main.panel.statusArea.nightjar; },

  /** How many of the sources are in the main loop. */
  get waiting() {
    return [...sources].filter(id => GLib.MainContext.default().find_source_by_id(id)).length;
  },

  /** The texts of the rows, and of the lines below the entry. */
  get menu() {
    const texts = section => section._getMenuItems().map(item => item.get_children()
      .map(child => child.text ?? child.label ?? child.accessible_name).filter(Boolean));
    return {rows: texts(this.face._list), lines: texts(this.face._readings).map(([text]) => text)};
  },

  /** What is shown. A label shows markup only if it is told so. */
  get state() {
    const {_label: label, menu} = this.face ?? {_label: {}};
    return {
      label: label.text ?? null, style: label.style_class ?? '', width: label.width ?? 0,
      markup: label.clutter_text?.use_markup ?? false, waiting: this.waiting,
      ...this.face ? {...this.menu, isOpen: menu.isOpen, menuWidth: menu.actor.width} : {},
    };
  },

  /**
   * Moves the pointer to an actor, and clicks if the shell has found the actor below the pointer. Returns whether it
   * has: not before the actor is laid out, and a frame after that.
   */
  click(actor) {
    for (let part = actor ?? null; part !== global.stage; part = part.get_parent()) {
      if (!part?.has_allocation())
        return false;
    }
    const pointer = device('POINTER_DEVICE'), now = () => GLib.get_monotonic_time();
    const [x, y] = actor.get_transformed_position(), [width, height] = actor.get_transformed_size();
    pointer.notify_absolute_motion(now(), x + width / 2, y + height / 2);
    const seat = Clutter.get_default_backend().get_default_seat();
    const found = global.stage.get_device_actor(seat.get_pointer(), null);
    if (!found || !actor.contains(found))
      return false;
    for (const state of ['PRESSED', 'RELEASED'])
      pointer.notify_button(now(), Clutter.BUTTON_PRIMARY, Clutter.ButtonState[state]);
    return true;
  },

  /** Clicks on the button with this name in the row of a timer. */
  press(name, button) {
    const row = this.face._list._getMenuItems().find(item =>
      item.get_children().some(child => child.text === name));
    return this.click(row?.get_children().find(child => child.accessible_name === button));
  },

  get readings() { return this.face._readings._getMenuItems(); },

  /** Types a text on the keyboard, or presses the key with this name. */
  type(text, key = null) {
    const keyboard = device('KEYBOARD_DEVICE'), now = () => GLib.get_monotonic_time();
    const symbols = key ? [Clutter[`KEY_${key}`]]
      : [...text].map(letter => Clutter.unicode_to_keysym(letter.codePointAt(0)));
    for (const symbol of symbols) {
      for (const state of ['PRESSED', 'RELEASED'])
        keyboard.notify_keyval(now(), symbol, Clutter.KeyState[state]);
    }
  },
};

var init = () => ({enable: () => (global.context.unsafe_mode = true), disable: () => {}});
