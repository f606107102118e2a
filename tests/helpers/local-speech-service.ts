import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/**
 * A speech-to-text service as the engine starts one, with faults: `/v1/audio/transcriptions?fault=exit-70` answers 504 and asks to be
 * restarted so, `crash` ends in mid-call, `refuse` answers before it has the body; LOADING_CHECKS health checks report that it is loading.
 */
let checks = Number(process.env['LOADING_CHECKS'] ?? 0)
const token = process.env['STT_API_TOKEN']
if (process.env['BROKEN'] !== undefined) {
  console.error('the model file is damaged')
  process.exit(1)
}

const json = (response: ServerResponse, status: number, value: unknown): ServerResponse =>
  response
    .writeHead(status, { 'content-type': 'application/json', 'set-cookie': 'mine=1', server: 'secret' })
    .end(JSON.stringify(value))

async function transcribe(request: IncomingMessage, response: ServerResponse, fault: string | null): Promise<unknown> {
  if (request.headers.authorization !== `Bearer ${token}`)
    return json(response, 401, { detail: 'Authentication required' })
  if (fault === 'refuse') return json(response, 429, { detail: 'Provider capacity is full' })
  if (fault === 'crash') process.exit(9)
  let bytes = 0
  for await (const chunk of request) bytes += (chunk as Buffer).length
  if (fault === 'exit-70') {
    response.once('finish', () => process.exit(70))
    return json(response, 504, { detail: 'Provider operation timed out' })
  }
  console.log(`transcribed ${bytes} bytes`)
  return json(response, 200, { bytes, headers: request.headers, pid: process.pid })
}

function answer(request: IncomingMessage, response: ServerResponse): unknown {
  const { pathname, searchParams } = new URL(request.url!, 'http://service')
  if (pathname === '/health') {
    checks -= 1
    if (checks >= 0) return json(response, 503, { status: 'loading' })
    return json(response, 200, { status: 'healthy', state_dir: process.env['RAG_LADDER_STATE_DIR'] })
  }
  if (pathname === '/v1/models')
    return response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(Buffer.alloc(3_000_000, 7))
  return transcribe(request, response, searchParams.get('fault'))
}

const server = createServer((request, response) => void answer(request, response))
server.listen(Number(process.env['STT_PORT']), '127.0.0.1', () => {
  const { port } = server.address() as { port: number }
  process.send!({ type: 'ready', port, url: `http://127.0.0.1:${port}` })
})
process.on('disconnect', () => process.exit(0))
