import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import sharp from 'sharp'
import { listenLocally } from './local-server.ts'

type Node = { class_type: string; inputs: Record<string, unknown> }

/** A prompt that the server has taken. */
export interface FakePrompt {
  id: string
  graph: Record<string, Node>
  state: 'pending' | 'running' | 'success' | 'error' | 'interrupted'
}

export interface FakeComfyUi {
  url: string
  checkpoint: string
  prompts: FakePrompt[]
  /** Method and path of each call. */
  calls: string[]
  behaviour: {
    /** States when a running prompt is drawn; the next one starts then. */
    drawsAfterMs: number
    /** Holds what becomes of it. */
    outcome: 'success' | 'error'
    /** Answers a submission so, and takes nothing. */
    submitStatus: number | null
  }
  close(): Promise<void>
}

/** A ComfyUI server on 127.0.0.1: one prompt is drawn at a time, the others wait. */
export async function startFakeComfyUi(checkpoint = 'harbour.safetensors'): Promise<FakeComfyUi> {
  const prompts: FakePrompt[] = []
  const calls: string[] = []
  const behaviour: FakeComfyUi['behaviour'] = { drawsAfterMs: 0, outcome: 'success', submitStatus: null }
  const timers = new Set<NodeJS.Timeout>()

  const work = (): void => {
    if (prompts.some(({ state }) => state === 'running')) return
    const next = prompts.find(({ state }) => state === 'pending')
    if (next === undefined) return
    next.state = 'running'
    const timer = setTimeout(() => {
      timers.delete(timer)
      if (next.state === 'running') next.state = behaviour.outcome
      work()
    }, behaviour.drawsAfterMs)
    timers.add(timer)
  }
  const inputOf = ({ graph }: FakePrompt, type: string): Record<string, unknown> =>
    Object.values(graph).find(({ class_type: kind }) => kind === type)!.inputs
  const entryOf = (prompt: FakePrompt): object => {
    const isDone = prompt.state === 'success'
    const event = { error: 'execution_error', interrupted: 'execution_interrupted' }[prompt.state as 'error']
    return {
      prompt: [0, prompt.id, prompt.graph],
      outputs: isDone ? { saved: { images: [{ filename: `${prompt.id}.png`, subfolder: '', type: 'output' }] } } : {},
      status: {
        status_str: isDone ? 'success' : 'error',
        completed: isDone,
        messages: isDone ? [] : [[event, { prompt_id: prompt.id, node_type: 'KSampler' }]],
      },
    }
  }

  async function answer(request: IncomingMessage): Promise<[status: number, body: unknown]> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { pathname, searchParams } = new URL(request.url!, 'http://x')
    calls.push(`${request.method!} ${pathname}`)
    const body = parts.length === 0 ? {} : (JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>)
    if (pathname === '/system_stats') return [200, { devices: [] }]
    if (request.method === 'POST' && pathname === '/prompt') {
      if (behaviour.submitStatus !== null) return [behaviour.submitStatus, {}]
      const prompt: FakePrompt = { id: randomUUID(), graph: body['prompt'] as FakePrompt['graph'], state: 'pending' }
      if (inputOf(prompt, 'CheckpointLoaderSimple')['ckpt_name'] !== checkpoint)
        return [
          400,
          {
            error: { type: 'prompt_outputs_failed_validation', message: 'Prompt outputs failed validation' },
            node_errors: { model: { errors: [{ type: 'value_not_in_list', message: 'Value not in list' }] } },
          },
        ]
      prompts.push(prompt)
      work()
      return [200, { prompt_id: prompt.id, number: prompts.length, node_errors: {} }]
    }
    if (request.method === 'POST' && pathname === '/queue') {
      for (const id of body['delete'] as string[]) {
        const at = prompts.findIndex((prompt) => prompt.id === id && prompt.state === 'pending')
        if (at !== -1) prompts.splice(at, 1)
      }
      return [200, {}]
    }
    if (request.method === 'POST' && pathname === '/interrupt') {
      const running = prompts.find(({ state }) => state === 'running')
      if (running !== undefined) running.state = 'interrupted'
      work()
      return [200, {}]
    }
    if (pathname === '/queue') {
      const places = (wanted: FakePrompt['state']): unknown[] =>
        prompts.flatMap(({ id, state, graph }, at) => (state === wanted ? [[at, id, graph, {}, []]] : []))
      return [200, { queue_running: places('running'), queue_pending: places('pending') }]
    }
    const known = prompts.find(({ id }) => pathname === `/history/${id}`)
    if (pathname.startsWith('/history/'))
      return [
        200,
        known === undefined || ['pending', 'running'].includes(known.state) ? {} : { [known.id]: entryOf(known) },
      ]
    const drawn = prompts.find(({ id, state }) => state === 'success' && searchParams.get('filename') === `${id}.png`)
    if (pathname !== '/view' || drawn === undefined) return [404, {}]
    const { width, height } = inputOf(drawn, 'EmptyLatentImage') as { width: number; height: number }
    const seed = inputOf(drawn, 'KSampler')['seed'] as number
    const background = { r: seed % 256, g: (seed >> 8) % 256, b: (seed >> 16) % 256 }
    return [
      200,
      await sharp({ create: { width, height, channels: 3, background } })
        .png()
        .toBuffer(),
    ]
  }

  const server = createServer((request, response) => {
    void answer(request).then(([status, body]) => {
      if (Buffer.isBuffer(body)) response.writeHead(status, { 'content-type': 'image/png' }).end(body)
      else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  const { url, close } = await listenLocally(server)
  return {
    url,
    checkpoint,
    prompts,
    calls,
    behaviour,
    close() {
      for (const timer of timers) clearTimeout(timer)
      return close()
    },
  }
}
