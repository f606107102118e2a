import { join } from 'node:path'
import { moduleFile } from '../supervisor/module-entry.ts'
import { SupervisedService } from '../supervisor/supervised-service.ts'
import type { ProcessLauncher } from '../supervisor/process-launcher.ts'
import type { RunEvent } from '../../contract/index.ts'
import type { RunnerInputs } from '../manifests/runner-inputs.ts'
import { openPlatformSecrets } from '../supervisor/platform-secrets.ts'
import { createPlatformClient } from './platform-client.ts'

/** A platform that answers for one ingestion profile until it is stopped. */
export interface RunningPlatform {
  url: string
  /** Credential of the gateway's routes. */
  apiKey: string | null
  /** Credential of the backend's routes: ingestion, evaluation, usage. */
  operatorToken: string | null
  /** Key of an edge in front of it. */
  edgeKey: string | null
  /** Resolves when the platform works: at once, or after the restart that is under way. Throws when it has been given up. */
  ready(): Promise<void>
  stop(): Promise<void>
}

/** Where a run's platform comes from. */
export interface PlatformSource {
  readonly kind: 'embedded' | 'external'
  /** `embedded`, or the external address as provenance shows it. */
  readonly gateway: string
  readonly basePort: number | null
  /** Set of `manifests/models.yaml` that an embedded platform starts with; null: the manifest's default, or not ours to choose. */
  readonly modelSet: string | null
  start(profile: string): Promise<RunningPlatform>
  /** Folder that holds everything the platform made for this profile; null when it is not ours to delete. */
  stateDir(profile: string): string | null
}

/** Folder of everything that the embedded platform keeps for an ingestion profile. */
export const embeddedStateDir = (stateRoot: string, profile: string): string => join(stateRoot, 'platform', profile)

const PLATFORM_ENTRY = moduleFile('../../providers/platform/index', import.meta.url)

/** Below the state folder; mode 0600. */
export const SECRETS_FILE = 'secrets.json'

export interface EmbeddedOptions {
  root: string
  stateRoot: string
  modelSet: string | null
  launcher: ProcessLauncher
  emit: (event: RunEvent) => void
  /** Environment by which it finds the services that read a profile's corpus. */
  readers?: (profile: string) => Promise<Record<string, string>>
  port?: number
}

/** The platform that comes with the program, as a supervised child on a free port of this machine, with credentials of this project. */
export function embeddedPlatform(options: EmbeddedOptions): PlatformSource {
  const stateDir = (profile: string): string => embeddedStateDir(options.stateRoot, profile)
  return {
    kind: 'embedded',
    gateway: 'embedded',
    basePort: options.port ?? null,
    modelSet: options.modelSet,
    stateDir,
    async start(profile) {
      const secrets = await openPlatformSecrets(join(options.stateRoot, SECRETS_FILE))
      const readers = (await options.readers?.(profile)) ?? {}
      const service = new SupervisedService(
        {
          name: 'platform',
          launch: {
            entry: PLATFORM_ENTRY,
            env: {
              ...readers,
              PLATFORM_HOST: '127.0.0.1',
              PLATFORM_PORT: String(options.port ?? 0),
              RAG_LADDER_MANIFESTS: join(options.root, 'manifests'),
              RAG_LADDER_STATE_DIR: stateDir(profile),
              RAG_INGESTION_CORPUS_ROOT: join(options.root, 'corpus'),
              RAG_PROFILE: profile,
              BACKEND_INTERNAL_API_TOKEN: secrets.operatorToken,
              GATEWAY_MASTER_KEY: secrets.gatewayKey,
              GRAPHENGINE_RERANK_ADAPTER_TOKEN: secrets.rerankAdapterToken,
              GRAPHENGINE_API_KEY: secrets.graphEngineKey,
              ...(options.modelSet === null ? {} : { RAG_MODEL_SET: options.modelSet }),
            },
            // Clients keep the address they were given, so a restart takes the same port.
            restartEnv: (url) => ({ PLATFORM_PORT: new URL(url).port }),
          },
          probe: async (url) => {
            const client = createPlatformClient({ url, apiKey: null, operatorToken: null })
            try {
              return (await client.health()).status === 'healthy'
            } finally {
              await client.close()
            }
          },
        },
        options.launcher,
      )
      service.onState((state) =>
        options.emit({
          type: 'service.changed',
          service: 'platform',
          state: state.name,
          detail: state.name === 'failed' ? state.reason : null,
        }),
      )
      const url = await service.start()
      const { gatewayKey: apiKey, operatorToken } = secrets
      const [ready, stop] = [() => service.whenReady(), () => service.stop()]
      return { url, apiKey, operatorToken, edgeKey: null, ready, stop }
    },
  }
}

/** A platform that somebody else runs; starting and stopping it is their affair. The gateway's key stands in for a missing token. */
export function externalPlatform(
  url: string,
  { gatewayApiKey, platformToken, edgeApiKey }: Pick<RunnerInputs, 'gatewayApiKey' | 'platformToken' | 'edgeApiKey'>,
): PlatformSource {
  return {
    kind: 'external',
    gateway: url,
    basePort: URL.canParse(url) ? Number(new URL(url).port) || null : null,
    modelSet: null,
    start: async () => ({
      url,
      apiKey: gatewayApiKey,
      operatorToken: platformToken ?? gatewayApiKey,
      edgeKey: edgeApiKey,
      ready: async () => undefined,
      stop: async () => undefined,
    }),
    stateDir: () => null,
  }
}
