import { createServer } from 'node:http'
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'

/** A service for supervisor tests; FAULT chooses what is wrong with it, JOURNAL gets a line per start and per stop request. */
const fault = process.env['FAULT'] ?? 'none'
const note = (line: string): void => appendFileSync(process.env['JOURNAL']!, `${line}\n`)

note(`start ${process.pid}`)
if (fault === 'crash') {
  console.error('cannot open the model')
  process.exit(3)
}
if (fault === 'ignore-stop') process.on('SIGTERM', () => note('ignored SIGTERM'))
if (fault === 'grandchild') {
  const grandchild = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  note(`grandchild ${grandchild.pid}`)
}
if (fault === 'flood') for (let line = 0; line < 20_000; line += 1) console.error(`noise ${line}`)

/** Counts the requests that get 503 from now on. */
let unwell = 0

const server = createServer((request, response) => {
  if (request.url === '/exit-70') process.exit(70)
  if (request.url === '/crash') process.exit(9)
  // It is alive and answers no request, as in a loop that does not end.
  if (request.url === '/hang') for (;;);
  if (request.url?.startsWith('/unwell') === true) unwell = Number(request.url.slice('/unwell'.length))
  else if (unwell > 0) {
    unwell -= 1
    response.statusCode = 503
    return void response.end('the voice is gone')
  }
  response.end(process.env['ANSWER'] ?? 'ok')
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number }
  if (fault !== 'never-ready') process.send?.({ type: 'ready', port, url: `http://127.0.0.1:${port}` })
})
process.on('disconnect', () => {
  note('channel closed')
  if (fault !== 'ignore-stop') process.exit(0)
})
