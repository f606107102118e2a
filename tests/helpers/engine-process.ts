import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/fetch'
import type { ContractRouterClient } from '@orpc/contract'
import { controlErrorOf, type ControlError } from '../../contract/control/control-error.ts'
import type { ControlEvent, SequencedEvent } from '../../contract/control/events.ts'
import type { ControlContract } from '../../contract/control/router.ts'
import { PAGE_KEY_HEADER, PAGE_KEY_PARAMETER } from '../../contract/control/system.ts'
import { programFile } from './program.ts'

export type ControlClient = ContractRouterClient<ControlContract>

export interface EngineProcess {
  url: string
  token: string
  child: ChildProcess
  client: ControlClient
  /** Returns what the process has written to stderr so far. */
  errors(): string
  /** Closes the channel, as a host that ends does, and gives the exit code. */
  stop(): Promise<number | null>
  /** As a crash does. */
  kill(): Promise<void>
}

export const TEST_TOKEN = 'test-token-test-token-test-token-test-token'

/** A client with headers of its own on every call. */
export function clientOf(url: string, headers: Record<string, string>): ControlClient {
  return createORPCClient(new RPCLink({ url: `${url}/control`, headers }))
}

/** Starts a real engine process on a project; rejects with its stderr when it exits before it is ready. */
export async function startEngine(
  root: string,
  env: Record<string, string> = {},
  flags: readonly string[] = [],
): Promise<EngineProcess> {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'SystemRoot', 'RAG_LADDER_USER_DIR']
  const child = fork(programFile('main/engine/index.ts'), {
    env: {
      ...Object.fromEntries(kept.map((name) => [name, process.env[name]])),
      RAG_LADDER_PROJECT: root,
      RAG_LADDER_ENGINE_TOKEN: TEST_TOKEN,
      // Tests run beside each other: none may depend on the default port.
      PLATFORM_PORT: '0',
      ...env,
    },
    execArgv: [...flags],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let errors = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const exited = once(child, 'exit') as Promise<[number | null]>
  const drained = once(child.stderr!, 'close')
  const ready = once(child, 'message') as Promise<[{ url: string }]>
  const [first] = await Promise.race([ready, exited])
  if (typeof first !== 'object' || first === null) {
    await drained
    throw new Error(`the engine exited with ${String(first)}: ${errors}`)
  }
  const { url } = first
  return {
    url,
    token: TEST_TOKEN,
    child,
    client: clientOf(url, { authorization: `Bearer ${TEST_TOKEN}` }),
    errors: () => errors,
    async stop() {
      if (child.exitCode === null && child.connected) child.disconnect()
      return (await exited)[0]
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Reads events until one is of the kind that `enough` waits for; gives all that were seen. */
export async function eventsUntil(
  client: ControlClient,
  from: { after?: number; engine_id?: string },
  enough: (event: ControlEvent, seen: SequencedEvent[]) => boolean,
): Promise<SequencedEvent[]> {
  const stop = new AbortController()
  const seen: SequencedEvent[] = []
  try {
    for await (const entry of await client.system.events(from, { signal: stop.signal })) {
      seen.push(entry)
      if (enough(entry.event, seen)) return seen
    }
  } finally {
    stop.abort()
  }
  throw new Error(`the stream ended after ${seen.length} events`)
}

/** The control error that a call fails with; throws when it does not fail. */
export async function failureOf(call: Promise<unknown>): Promise<ControlError> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in outcome) return controlErrorOf(outcome.error)
  throw new Error(`the call did not fail: ${JSON.stringify(outcome.value).slice(0, 300)}`)
}

/** Returns what the page of a redeemed link shows on its calls: cookie, key and Origin. */
export function pageHeaders(opened: Response): { cookie: string; origin: string; [PAGE_KEY_HEADER]: string } {
  const location = new URL(opened.headers.get('location')!, opened.url)
  return {
    cookie: opened.headers.get('set-cookie')!.split(';')[0]!,
    origin: location.origin,
    [PAGE_KEY_HEADER]: location.searchParams.get(PAGE_KEY_PARAMETER)!,
  }
}
