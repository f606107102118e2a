import { createServer } from 'node:http'
import { announceReady, exitWithHost } from '../../core/process-life.ts'
import { describeEnd, startWork } from '../../providers/kit/work/work-process.ts'

// A service that has work done in a process of its own, as converter and networks do. GET /<task> hands the task on.
const start = () => startWork({ entry: new URL('./work-child.js', import.meta.url), args: ['one argument'] })
let work = start()

const server = createServer((request, response) => {
  const bytes = new Uint8Array(1_000_000).fill(7)
  let program: number | undefined
  const answered = work.onMessage((answer) => {
    program = (answer as { program?: number }).program
    // It hangs from here on.
    if (program === undefined) done(answer)
    else work.kill()
  })
  const ended = work.onEnd((end) => {
    work = start()
    done({ end: describeEnd(end), program })
  })
  const done = (answer: unknown): void => {
    answered()
    ended()
    response.end(JSON.stringify(answer))
  }
  work.send({ task: request.url!.slice(1), bytes })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number }
  exitWithHost(
    process,
    async () => void server.close(),
    () => undefined,
    10_000,
  )
  announceReady(process, { port, url: `http://127.0.0.1:${port}` })
})
