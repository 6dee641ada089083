// An example of a bar with an entry for Nightjar, for Quickshell: `qs -p shell.qml`. What it knows is in Timers.js,
// which Nightjar's tests run against the real daemon. Debian 12 has no Quickshell: this file was tried in Qt 6.4 with
// stand-ins for Quickshell's types, and not on a desktop.
import QtQml
import QtQuick
import Quickshell
import Quickshell.Io
import "Timers.js" as Timers

PanelWindow {
  id: bar
  property var known: Timers.empty()
  property var rows: []
  property var reading: null
  property string note: ""
  readonly property bool isConnected: links.object !== null && links.object.isConnected
  readonly property string path:
    Quickshell.env("NIGHTJAR_SOCKET") || Quickshell.env("XDG_RUNTIME_DIR") + "/nightjar/socket"
  readonly property var calls: Timers.calls(text => {
    if (isConnected) links.object.asking.write(text)
    return isConnected
  })

  function refresh() { rows = Timers.rows(known, Date.now() * 1000) }
  function change(method, parameters) { calls.ask(method, parameters, (reply, mistake) => note = mistake) }
  // A Socket that could not connect cannot try again, so there are new ones.
  function reconnect() {
    links.active = false
    calls.lost()
    links.active = true
  }

  anchors { top: true; left: true; right: true }
  implicitHeight: 32
  color: "#202020"
  focusable: true

  // A connection for the stream of changes, and one for calls.
  Instantiator {
    id: links
    delegate: QtObject {
      readonly property bool isConnected: watching.connected && asking.connected
      readonly property Socket watching: Socket {
        path: bar.path
        connected: true
        onConnectedChanged: if (connected) write(Timers.watch(bar.known))
        parser: SplitParser {
          splitMarker: "\u0000"
          onRead: text => {
            const isGood = Timers.apply(bar.known, text, Date.now() * 1000)
            if (!isGood) { bar.known = Timers.empty(); Qt.callLater(bar.reconnect) }
            if (bar.known.isComplete) bar.refresh()
          }
        }
      }
      readonly property Socket asking: Socket {
        path: bar.path
        connected: true
        parser: SplitParser { splitMarker: "\u0000"; onRead: text => bar.calls.answered(text) }
      }
    }
  }
  Timer { running: !bar.isConnected; interval: 1000; repeat: true; onTriggered: bar.reconnect() }
  // Nothing wakes up while no timer counts.
  Timer { running: bar.rows.some(row => row.counts); interval: 1000; repeat: true; onTriggered: bar.refresh() }

  Row {
    anchors { fill: parent; leftMargin: 8 }
    spacing: 16
    // The entry says what it has understood while one types. Return starts that.
    TextInput {
      width: 160
      height: 32
      color: "white"
      verticalAlignment: TextInput.AlignVCenter
      onTextEdited: {
        const words = text
        bar.reading = null
        bar.note = ""
        if (words.trim()) bar.calls.ask("Understand", {words: words}, (reply, mistake) => {
          if (words !== text) return
          bar.reading = reply ? reply.readings.find(reading => reading.start) || null : null
          bar.note = bar.reading ? bar.reading.sentence : mistake
        })
      }
      onAccepted: if (bar.reading) { bar.change("Start", bar.reading.start); text = ""; bar.reading = null }
    }
    Label { text: bar.isConnected ? bar.note : "nightjard is away" }
    Repeater {
      model: bar.rows
      Row {
        id: row
        required property var modelData
        spacing: 8
        Label { text: [row.modelData.name, row.modelData.step, row.modelData.time].filter(Boolean).join(" ") }
        Repeater {
          model: Timers.changes(row.modelData)
          Label {
            id: button
            required property var modelData
            text: "[" + modelData.label + "]"
            MouseArea {
              anchors.fill: parent
              onClicked: bar.change(button.modelData.method, button.modelData.parameters)
            }
          }
        }
      }
    }
  }
  component Label: Text {
    textFormat: Text.PlainText
    color: "white"
    height: 32
    verticalAlignment: Text.AlignVCenter
  }
}
