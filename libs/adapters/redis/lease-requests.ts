/**
 * Leases requests to a process. ARGV: length of a window in ms, the window that the process knows,
 * the process, the place of all keys; then for each client: its name, its limit, how many requests
 * the process has admitted in its window, how many it needs, and 1 if it returns the rest.
 *
 * A client has one hash per window: by process, how many requests that process has leased, with `+`
 * if it may hold unused ones. A process states its own number each time, so a lost answer, and a
 * server that lost its data, correct themselves. Who needs one request gets a quarter of what is
 * left, so that further ones need no round trip. When nothing is left, unused requests are
 * recalled: from then on each process gets as many as it needs at once.
 */
export const leaseRequestsScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local length, process, place = tonumber(ARGV[1]), ARGV[3], ARGV[4]
local window = math.floor(now / length)
local name = string.format('%.0f', window)
local isSame = ARGV[2] == name
local answer = { window, (window + 1) * length - now, now }
for at = 5, #ARGV, 5 do
  local client, limit = ARGV[at], tonumber(ARGV[at + 1])
  local used, wanted = isSame and tonumber(ARGV[at + 2]) or 0, tonumber(ARGV[at + 3])
  local isReturn = isSame and ARGV[at + 4] == '1'
  local key = place .. ':' .. name .. ':' .. client
  local others, holders, isRecalled = 0, 0, isReturn
  local fields = redis.call('HGETALL', key)
  for field = 1, #fields, 2 do
    if fields[field] == 'recalled' then
      isRecalled = true
    elseif fields[field] ~= process then
      local count, mark = string.match(fields[field + 1], '^(%d+)(%+?)$')
      others = others + (tonumber(count) or 0)
      if mark == '+' then holders = holders + 1 end
    end
  end
  local left = math.max(0, limit - others - used)
  local granted = isRecalled and wanted or math.max(wanted, math.floor(left / 4))
  granted = math.min(granted, left)
  local mark = granted > wanted and '+' or ''
  redis.call('HSET', key, process, string.format('%.0f', used + granted) .. mark)
  if #fields == 0 then redis.call('PEXPIRE', key, 2 * length) end
  if isReturn then
    redis.call('PUBLISH', place, 'returned ' .. process .. ' ' .. name .. ' ' .. client)
  elseif granted < wanted and holders > 0 then
    redis.call('HSET', key, 'recalled', '1')
    redis.call('PUBLISH', place, 'recalled ' .. process .. ' ' .. name .. ' ' .. client)
  end
  answer[#answer + 1] = granted
  answer[#answer + 1] = left - granted
  answer[#answer + 1] = holders
end
return answer
`
