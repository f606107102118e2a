import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createORPCClient } from '@orpc/client'
import { RPCLink } from '@orpc/client/fetch'
import type { ContractRouterClient } from '@orpc/contract'
import type { SequencedEvent } from '../../contract/control/events.ts'
import { CONTROL_PREFIX, type ControlContract } from '../../contract/control/router.ts'
import { moduleFile } from '../lib/module-entry.ts'
import type { ProcessLauncher } from '../supervisor/process-launcher.ts'
import { ServiceFailedError, SupervisedService } from '../supervisor/supervised-service.ts'
import { TOKEN_VARIABLE } from './engine-config.ts'

const ENGINE_ENTRY = moduleFile('./index', import.meta.url)

export type ControlClient = ContractRouterClient<ControlContract>

/** An engine from its host's side: a supervised child and the token of its control API. */
export interface LaunchedEngine {
  service: SupervisedService
  /** Secret of this launch: goes into the child's environment, and into the headers of forwarded calls. */
  token: string
  /** A client at the engine's current address. */
  client: (url: string) => ControlClient
}

export interface LaunchOptions {
  root: string
  /** Module of the engine, where its host is not installed beside it. */
  entry?: string
  resultsDir?: string
  /** 0 takes a free one. */
  port: number
  launcher: ProcessLauncher
  /** Of the desktop app's pages. */
  appOrigin?: string
  rendererDir?: string
}

/** A client of the control API that calls as the host. */
export function hostClient(url: string, token: string): ControlClient {
  return createORPCClient(new RPCLink({ url: url + CONTROL_PREFIX, headers: { authorization: `Bearer ${token}` } }))
}

/** An engine as a supervised child, not started yet. After a crash it restarts at the same address with the same token. */
export function launchEngine(options: LaunchOptions): LaunchedEngine {
  const token = randomBytes(32).toString('base64url')
  const env: Record<string, string> = {
    RAG_LADDER_PROJECT: options.root,
    RAG_LADDER_ENGINE_PORT: String(options.port),
    [TOKEN_VARIABLE]: token,
    ...(options.resultsDir === undefined ? {} : { RAG_LADDER_RESULTS: options.resultsDir }),
    ...(options.appOrigin === undefined ? {} : { RAG_LADDER_APP_ORIGIN: options.appOrigin }),
    ...(options.rendererDir === undefined ? {} : { RAG_LADDER_RENDERER_DIR: options.rendererDir }),
  }
  const service = new SupervisedService(
    {
      name: 'engine',
      launch: {
        entry: options.entry ?? ENGINE_ENTRY,
        env,
        // Pages and sessions belong to an address.
        restartEnv: (url) => ({ RAG_LADDER_ENGINE_PORT: new URL(url).port }),
      },
      probe: async (url, signal) => (await hostClient(url, token).system.status(undefined, { signal })).pid > 0,
      // Cells in flight get a moment to finish.
      graceMs: 15_000,
    },
    options.launcher,
  )
  return { service, token, client: (url) => hostClient(url, token) }
}

const RETRY_AFTER_MS = 300

/**
 * All events of an engine, in order and once each, across broken connections and restarts of the engine; a restarted engine reports the events
 * that it no longer has as a gap. Ends when the engine is stopped or has failed.
 */
export async function* followEvents({ service, client }: LaunchedEngine): AsyncGenerator<SequencedEvent> {
  let from: { after: number; engine_id?: string } = { after: 0 }
  for (;;) {
    try {
      await service.whenReady()
      for await (const entry of await client(service.url!).system.events(from)) {
        const { seq, event } = entry
        from = event.type === 'stream.opened' ? { ...from, engine_id: event.engine_id } : { ...from, after: seq }
        yield entry
      }
    } catch (error) {
      if (error instanceof ServiceFailedError) return
      // The connection broke: the state of the engine has the reason, and the stream continues after the last number.
    }
    await delay(RETRY_AFTER_MS)
  }
}
