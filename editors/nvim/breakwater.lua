-- SPDX-License-Identifier: MIT
-- Breakwater for nvim-dap: put this file into ~/.config/nvim/lua/ and call
--     require("breakwater")
-- after nvim-dap has been loaded. doc/editors.md says what can be done.
local dap = require("dap")

-- Neovim takes .comp for another language, and does not know .hip.
vim.filetype.add({ extension = { comp = "glsl", hip = "cpp" } })

-- A server on a port ("breakwater dap --port 4711 --token-file FILE") wants the token that is in a file of yours:
--     port = 4711, tokenFile = "FILE"
local function with_token(config, on_config)
  local given = vim.deepcopy(config)
  if given.tokenFile then
    given.token = vim.fn.readfile(vim.fn.expand(given.tokenFile))[1]
    given.tokenFile = nil
  end
  on_config(given)
end

dap.adapters.breakwater = function(callback, config)
  local options = { initialize_timeout_sec = 30 }
  if config.port then
    callback({ type = "server", host = "127.0.0.1", port = config.port, options = options, enrich_config = with_token })
  else
    callback({ type = "executable", command = "breakwater", args = { "dap" }, options = options })
  end
end

local kernel = {
  name = "Breakwater: this kernel or shader",
  type = "breakwater",
  request = "launch",
  program = "${file}",
  -- The words of breakwater run's command line: --grid 128 --group 64 --arg in=iota:128
  kernelOptions = function()
    return vim.split(vim.fn.input("Options: ", "--grid 64 --group 64 "), " ", { trimempty = true })
  end,
  stopOnEntry = false,
}

local program = {
  name = "Breakwater: a program",
  type = "breakwater",
  request = "launch",
  program = function()
    return vim.fn.input("Program: ", vim.fn.getcwd() .. "/", "file")
  end,
  args = {},
}

local attach = {
  name = "Breakwater: attach to a program that \"breakwater exec\" has started",
  type = "breakwater",
  request = "attach",
  pid = require("dap.utils").pick_process,
}

for _, language in ipairs({ "asm", "opencl", "hip", "cpp", "c", "glsl", "hlsl", "llvm" }) do
  dap.configurations[language] = dap.configurations[language] or {}
  vim.list_extend(dap.configurations[language], { kernel, program, attach })
end

-- :BreakwaterLane 5  chooses the lane that variables and expressions are of.
vim.api.nvim_create_user_command("BreakwaterLane", function(command)
  local session = dap.session()
  if not session then
    return
  end
  session:request("breakwater/setLane", {
    threadId = session.stopped_thread_id,
    lane = tonumber(command.args),
  }, function(err)
    if err then
      vim.notify(err.message, vim.log.levels.ERROR)
    end
  end)
end, { nargs = 1 })
