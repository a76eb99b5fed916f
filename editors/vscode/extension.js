// SPDX-License-Identifier: MIT
// Starts "breakwater dap" for a session, and shows its waves and lanes. No dependency but VS Code.
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
      createDebugAdapterTracker() {
        return {
          onDidSendMessage(message) {
            if (message.type === "event" && ["stopped", "continued", "terminated", "invalidated"].includes(message.event)) refresh();
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
  command("breakwater.laneExpression", async () => {
    const text = await vscode.window.showInputBox({ prompt: "Expression shown for each lane", value: lanes.expression, placeHolder: "$v3" });
    if (text === undefined) return;
    lanes.expression = text;
    lanesView.description = text;
    refresh();
  });
}

module.exports = { activate, deactivate() {} };
