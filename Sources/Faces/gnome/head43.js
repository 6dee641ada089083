// GNOME 43 and 44. Their importer looks into __init__.js first, and finds `extension` there.
const {Clutter, Gio, GLib, GObject, St} = imports.gi;
const {main: Main, panelMenu: PanelMenu, popupMenu: PopupMenu} = imports.ui;
var extension = {init: () => ({enable, disable})};
