-- Neovim talks to `devlint server`: findings arrive, a quick fix and fixes on save are applied.
-- Run in a folder with a.py by tests/editors/run.py, which reads what is written to out.json.
local seen = {}
local function counted() return #vim.diagnostic.get(0) end
local function finish(why)
  seen.error = why
  vim.fn.writefile({ vim.json and vim.json.encode(seen) or vim.fn.json_encode(seen) }, "out.json")
  vim.cmd(why and "cquit" or "qall!")
end
local function await(what, test)
  if not vim.wait(30000, test, 20) then error("no " .. what) end
end

local function talk()
  vim.cmd("edit a.py")
  local id = vim.lsp.start_client({ name = "devlint", cmd = { "devlint", "server" }, root_dir = vim.fn.getcwd() })
  vim.lsp.buf_attach_client(0, id)
  local client = vim.lsp.get_client_by_id(id)
  await("diagnostics", function() return counted() > 0 end)
  seen.found = vim.tbl_map(function(each)
    return { line = each.lnum + 1, column = each.col + 1, code = each.code, source = each.source }
  end, vim.diagnostic.get(0))

  local function actions(line, only)
    vim.api.nvim_win_set_cursor(0, { line, 0 })
    local params = vim.lsp.util.make_range_params(0, client.offset_encoding)
    params.range["end"] = { line = line - 1, character = 1000 }
    params.context = { diagnostics = {}, only = only }
    local answers = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 30000) or {}
    return (answers[id] or {}).result or {}
  end

  local first = seen.found[1]
  local quick = actions(first.line, { "quickfix" })
  seen.titles = vim.tbl_map(function(each) return each.title end, quick)
  vim.lsp.util.apply_workspace_edit(quick[1].edit, client.offset_encoding)
  await("end of the first finding", function() return counted() == #seen.found - 1 end)

  dofile("documented")
  vim.cmd("write")
  await("end of the findings", function() return counted() == 0 end)
  seen.left = counted()
end

local done, why = pcall(talk)
finish(not done and tostring(why) or nil)
