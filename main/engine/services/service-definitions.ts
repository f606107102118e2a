import { existsSync } from 'node:fs'
import type { ServiceName } from '../../../contract/control/services.ts'
import { moduleFile } from '../../lib/module-entry.ts'

/** Services that stand beside the platform, each a child of its own. */
export type LocalServiceName = Exclude<ServiceName, 'platform'>

/**
 * A local service as data: what to start, where, and how to see that it works.
 *
 * The child gets its port (0: any free one) and its credential by the variables named here, and `RAG_LADDER_STATE_DIR`, a folder of its own;
 * the rest of the environment is the engine's, so that a person sets limits, models and modes as the service documents them. It listens on
 * 127.0.0.1, then sends `{ type: 'ready', port, url }` over its message channel (`announceReady` of `providers/kit/process-life.ts`) and
 * ends when that channel closes (`exitWhenParentGone`). It works when `healthPath` answers 200; 503 with the status `loading` or `starting`
 * is waited for. Exit code 70 after a 504 is a normal restart; every other exit counts as a failure. A restart takes the same port.
 */
export interface ServiceDefinition {
  name: LocalServiceName
  /** Module to run. Without it this installation does not have the service. */
  entry: string
  /** Taken when it is free; 0: any. */
  defaultPort: number
  /** Where the child reads its port from. */
  portVariable: string
  /** Overrides the default port, in the engine's environment. */
  portSetting: string
  /** Where the child reads its credential from; set in the engine's environment, it is used instead of one made for this launch. */
  tokenVariable: string
  /** Where other services read this one's address from; set in the engine's environment, the service runs elsewhere, at that address. */
  endpointVariable: string
  healthPath: string
  /** with_engine: at once. on_demand: when a page, a run or another service first needs it. */
  start: 'with_engine' | 'on_demand'
  /** Services that it calls: started before it, their addresses and credentials in its environment. */
  needs: readonly LocalServiceName[]
  /** How long it may load before it counts as broken. */
  startTimeoutMs: number
}

const entryOf = (name: LocalServiceName): string => moduleFile(`../../../providers/${name}/main`, import.meta.url)

const DEFINITIONS: readonly ServiceDefinition[] = [
  {
    name: 'converter',
    entry: entryOf('converter'),
    defaultPort: 18_159,
    portVariable: 'DOCCONV_PORT',
    portSetting: 'DOCCONV_PORT',
    tokenVariable: 'DOCCONV_API_TOKEN',
    endpointVariable: 'DOCCONV_ENDPOINT',
    healthPath: '/health',
    start: 'on_demand',
    needs: [],
    startTimeoutMs: 60_000,
  },
  {
    name: 'converter-adapter',
    entry: entryOf('converter-adapter'),
    defaultPort: 0,
    portVariable: 'DOCCONV_ADAPTER_PORT',
    portSetting: 'DOCCONV_ADAPTER_PORT',
    tokenVariable: 'DOCCONV_ADAPTER_API_TOKEN',
    endpointVariable: 'DOCCONV_ADAPTER_ENDPOINT',
    healthPath: '/health',
    start: 'on_demand',
    needs: ['converter'],
    startTimeoutMs: 60_000,
  },
  {
    name: 'stt',
    entry: entryOf('stt'),
    defaultPort: 63_042,
    portVariable: 'STT_PORT',
    portSetting: 'STT_PORT',
    tokenVariable: 'STT_API_TOKEN',
    endpointVariable: 'STT_ENDPOINT',
    healthPath: '/health',
    start: 'on_demand',
    needs: [],
    // A model of more than a gigabyte is fetched at the first start.
    startTimeoutMs: 60 * 60_000,
  },
  {
    name: 'tts',
    entry: entryOf('tts'),
    // Containers look for the host's service here; started by hand it takes 4123.
    defaultPort: 63_044,
    portVariable: 'PORT',
    portSetting: 'TTSVOICE_LOCALHOST_PORT',
    tokenVariable: 'TTS_API_TOKEN',
    endpointVariable: 'TTS_ENDPOINT',
    healthPath: '/health',
    start: 'on_demand',
    needs: [],
    startTimeoutMs: 60_000,
  },
]

/** The services beside the platform that this installation has; the others are shown as absent and cannot be started. */
export const installedServices = (): ServiceDefinition[] => DEFINITIONS.filter(({ entry }) => existsSync(entry))
