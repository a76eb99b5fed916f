// SPDX-License-Identifier: MIT
// Starts "breakwater dap" for a session, and shows its waves, lanes, attachments and pixels. No dependency but VS Code.
"use strict";
const fs = require("fs");
const os = require("os");
const path = require("path");
const vscode = require("vscode");

const PAGE = 200; // waves that are asked for at once

// The session that is looked at, where it is ours.
function session() {
  const s = vscode.debug.activeDebugSession;
  return s && s.type === "breakwater" ? s : undefined;
}

async function ask(command, args) {
  const s = session();
  if (!s) return undefined;
  try {
    return await s.customRequest(command, args);
  } catch {
    return undefined; // the program is running, or has ended
  }
}

// The wave that the editor's call stack is at, where this VS Code (1.90 and later) says so.
function activeWave() {
  const item = vscode.debug.activeStackItem;
  return item && item.session === session() ? item.threadId : undefined;
}

class View {
  constructor() {
    this.changed = new vscode.EventEmitter();
    this.onDidChangeTreeData = this.changed.event;
  }
  refresh() {
    this.changed.fire(undefined);
  }
  getTreeItem(item) {
    return item;
  }
}

// Dispatches where there are several, pages of their waves, and the waves of each page.
class Waves extends View {
  async getChildren(parent) {
    if (!parent) {
      const first = await ask("breakwater/waves", { start: 0, count: 1 });
      if (!first || !first.total) return [];
      return first.dispatches.length > 1 ? first.dispatches.map((d) => this.dispatch(d)) : this.pages(0, first.total);
    }
    return parent.total === undefined ? this.page(parent.dispatch, parent.start) : this.pages(parent.dispatch, parent.total);
  }
  dispatch(d) {
    const item = new vscode.TreeItem(`dispatch ${d.dispatch} ${d.kernel}`, vscode.TreeItemCollapsibleState.Expanded);
    item.description = d.total === 1 ? "1 wave" : `${d.total} waves`;
    item.dispatch = d.dispatch;
    item.total = d.total;
    return item;
  }
  pages(dispatch, total) {
    if (total <= PAGE) return this.page(dispatch, 0);
    const pages = [];
    for (let start = 0; start < total; start += PAGE) {
      const end = Math.min(start + PAGE, total);
      const item = new vscode.TreeItem(`waves ${start + 1} to ${end} of ${total}`, vscode.TreeItemCollapsibleState.Collapsed);
      item.dispatch = dispatch;
      item.start = start;
      pages.push(item);
    }
    return pages;
  }
  async page(dispatch, start) {
    const body = await ask("breakwater/waves", { dispatch, start, count: PAGE });
    const focus = activeWave() || (body && body.focusThreadId);
    return (body ? body.waves : []).map((w) => {
      const item = new vscode.TreeItem(w.name.split(" ")[0]); // workgroup and wave: "(2,0,0)/1"
      const place = w.source ? `${w.source.name}:${w.line}` : w.pc;
      item.description = `${place} ${w.reasons}${w.inBarrier ? " at a barrier" : ""}`;
      item.iconPath = new vscode.ThemeIcon(w.threadId === focus ? "arrow-right" : "debug-stackframe-dot");
      item.tooltip = `${w.name}\nexec ${w.exec}`;
      item.command = { command: "breakwater.focusWave", title: "", arguments: [w.threadId] };
      return item;
    });
  }
}

// The lanes of the wave that has the focus, with the value of an expression in each.
class Lanes extends View {
  constructor() {
    super();
    this.expression = "";
  }
  async getChildren() {
    const waves = await ask("breakwater/waves", { start: 0, count: 1 });
    if (!waves || waves.focusThreadId === undefined) return [];
    const threadId = activeWave() || waves.focusThreadId;
    const args = { threadId };
    if (this.expression) args.expression = this.expression;
    const body = await ask("breakwater/lanes", args);
    return (body ? body.lanes : []).map((lane) => {
      const item = new vscode.TreeItem(`${lane.lane}  [${(lane.workItem || ["?"]).join(",")}]`);
      item.description = `${lane.value === undefined ? "" : lane.value}${lane.active ? "" : "  (inactive)"}`;
      item.iconPath = new vscode.ThemeIcon(
        lane.lane === body.focusLane ? "arrow-right" : lane.active ? "circle-filled" : "circle-outline");
      item.command = { command: "breakwater.focusLane", title: "", arguments: [threadId, lane.lane] };
      return item;
    });
  }
}

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

// A page that shows the answer to a request, and asks again at each stop while it is open.
class Page {
  constructor(id, title, content) {
    this.id = id;
    this.title = title;
    this.content = content; // the answer as HTML
  }
  async open(command, args) {
    const s = session();
    if (!s) return vscode.window.showErrorMessage("No session of Breakwater is active.");
    let body;
    try {
      body = await s.customRequest(command, args);
    } catch (error) {
      return vscode.window.showErrorMessage(error.message);
    }
    this.request = [command, args];
    if (!this.panel) {
      this.panel = vscode.window.createWebviewPanel(this.id, this.title, vscode.ViewColumn.Beside, {});
      this.panel.onDidDispose(() => (this.panel = undefined));
    }
    this.show(this.content(body));
  }
  async refresh(s) {
    if (!this.panel) return;
    let html;
    try {
      html = this.content(await s.customRequest(...this.request));
    } catch (error) {
      html = `<p>${escaped(error.message)}</p>`; // the draw may have no such attachment
    }
    if (this.panel) this.show(html);
  }
  show(html) {
    this.panel.webview.html = `<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
      <style>img { image-rendering: pixelated; width: 100%; } td, th { padding: 0 1em 0 0; text-align: left; }</style>
      </head><body>${html}</body></html>`;
  }
}

function attachmentPage(body) {
  return `<p>${escaped(body.description)}</p><img src="data:image/png;base64,${escaped(body.png)}">`;
}

// The columns are the members of the rows, in the order of the row that has the most.
function historyPage(body) {
  const rows = [...body.events].sort((a, b) => Object.keys(b).length - Object.keys(a).length);
  const keys = Object.keys(Object.assign({}, ...rows));
  const cells = (kind, texts) => `<tr>${texts.map((text) => `<${kind}>${escaped(text)}</${kind}>`).join("")}</tr>`;
  const table = `<table>${cells("th", keys.map((key) => key.replace(/_/g, " ")))}${body.events
    .map((row) => cells("td", keys.map((key) => (row[key] === undefined ? "" : row[key])))).join("")}</table>`;
  return `<p>Pixel ${escaped(body.x)},${escaped(body.y)}</p>${body.events.length ? table : "<p>No draw has touched it.</p>"}${
    body.wasWatched ? "" : "<p>It is watched from here on: restart the program for all that becomes of it.</p>"}`;
}

// The file of a program that is named as in a shell, or undefined.
function findProgram(name) {
  const given = name.replace(/^~(?=\/)/, os.homedir());
  const places = given.includes("/") ? [given] : (process.env.PATH || "").split(path.delimiter).map((d) => path.join(d, given));
  return places.find((place) => {
    try {
      fs.accessSync(place, fs.constants.X_OK);
      return fs.statSync(place).isFile();
    } catch {
      return false;
    }
  });
}

// A server on a port (debugServer) wants a token, which is in a file of the user's (doc/editors.md).
function withToken(config) {
  if (!config.tokenFile) return config;
  const { tokenFile, ...rest } = config;
  const place = tokenFile.replace(/^~(?=\/)/, os.homedir());
  return { ...rest, token: fs.readFileSync(place, "utf8").trim() };
}

function activate(context) {
  const waves = new Waves();
  const lanes = new Lanes();
  const attachment = new Page("breakwater.attachment", "Attachment", attachmentPage);
  const history = new Page("breakwater.pixelHistory", "Pixel History", historyPage);
  const lanesView = vscode.window.createTreeView("breakwater.lanes", { treeDataProvider: lanes });
  // A stop is told by several events at once: the views are read anew once.
  let pending;
  const refresh = () => {
    clearTimeout(pending);
    pending = setTimeout(() => {
      waves.refresh();
      lanes.refresh();
    }, 50);
  };
  const command = (name, run) => context.subscriptions.push(vscode.commands.registerCommand(name, run));
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("breakwater", {
      createDebugAdapterDescriptor() {
        const name = vscode.workspace.getConfiguration("breakwater").get("path") || "breakwater";
        const program = findProgram(name);
        // VS Code itself starts nothing then, and says nothing.
        if (!program) throw new Error(`The program "${name}" was not found: the setting breakwater.path says where it is.`);
        return new vscode.DebugAdapterExecutable(program, ["dap"]);
      },
    }),
    vscode.debug.registerDebugConfigurationProvider("breakwater", {
      resolveDebugConfigurationWithSubstitutedVariables(folder, config) {
        return withToken(config);
      },
    }),
    vscode.debug.registerDebugAdapterTrackerFactory("breakwater", {
      createDebugAdapterTracker(debugged) {
        return {
          onDidSendMessage(message) {
            if (message.type !== "event") return;
            if (["stopped", "continued", "terminated", "invalidated"].includes(message.event)) refresh();
            if (message.event === "stopped") attachment.refresh(debugged);
            // At once: before the program runs, and before VS Code disconnects.
            if (["initialized", "stopped", "terminated"].includes(message.event)) history.refresh(debugged);
          },
        };
      },
    }),
    vscode.debug.onDidChangeActiveDebugSession(refresh),
    vscode.window.registerTreeDataProvider("breakwater.waves", waves),
    lanesView);
  if (vscode.debug.onDidChangeActiveStackItem) context.subscriptions.push(vscode.debug.onDidChangeActiveStackItem(refresh));
  command("breakwater.focusWave", (threadId) => ask("breakwater/setWave", { threadId }).then(refresh));
  command("breakwater.focusLane", (threadId, lane) => ask("breakwater/setLane", { threadId, lane }).then(refresh));
  command("breakwater.showAttachment", async () => {
    const now = await ask("breakwater/attachment", {});
    const all = now ? now.attachments.map((a) => ({ label: a.description, attachment: a.attachment })) : [];
    const chosen = all.length > 1 ? await vscode.window.showQuickPick(all, { placeHolder: "Attachment of the draw" }) : all[0] || {};
    if (chosen) await attachment.open("breakwater/attachment", chosen.attachment ? { attachment: chosen.attachment } : {});
  });
  command("breakwater.pixelHistory", async () => {
    const pixel = /^\s*(\d+)\s*,\s*(\d+)\s*$/;
    const text = await vscode.window.showInputBox({
      prompt: "Pixel", placeHolder: "X,Y", validateInput: (given) => (pixel.test(given) ? undefined : "Two numbers: X,Y"),
    });
    if (text === undefined) return;
    const [, x, y] = pixel.exec(text).map(Number);
    await history.open("breakwater/pixelHistory", { x, y });
  });
  command("breakwater.laneExpression", async () => {
    const text = await vscode.window.showInputBox({ prompt: "Expression shown for each lane", value: lanes.expression, placeHolder: "$v3" });
    if (text === undefined) return;
    lanes.expression = text;
    lanesView.description = text;
    refresh();
  });
}

module.exports = { activate, deactivate() {} };
