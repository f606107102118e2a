import { resolve } from 'node:path'
import type { RunEvent } from '../../contract/evidence/run-event.ts'
import type { IngestionProfile } from '../../contract/manifests/consumer.ts'
import { LocalService } from '../engine/services/local-service.ts'
import type { LocalServiceName } from '../../contract/control/service-list.ts'
import { installedServices } from '../engine/services/service-definitions.ts'
import { readersOf } from '../manifests/models/provider-selection.ts'
import type { PlatformSource } from '../runner/platform/platform-source.ts'
import type { ProcessLauncher } from '../supervisor/process-launcher.ts'

interface ReaderServicesOptions {
  root: string
  stateDir: string
  profiles: readonly IngestionProfile[]
  env: Readonly<Record<string, string | undefined>>
  launcher: ProcessLauncher
  emit: (event: RunEvent) => void
}

/**
 * The services that read what the platform cannot read itself, supervised like it: started when a profile's corpus needs them, ended with the
 * platform that they serve. `readers` gives the platform's environment, `during` ends them with it.
 */
export function readerServices({ root, stateDir, profiles, env, launcher, emit }: ReaderServicesOptions): {
  readers: (profile: string) => Promise<Record<string, string>>
  during: (source: PlatformSource) => PlatformSource
} {
  const services = new Map<LocalServiceName, LocalService>()
  const start = async (name: LocalServiceName): Promise<Record<string, string>> => {
    const definition = installedServices().find((each) => each.name === name)
    if (definition === undefined) return {}
    const service =
      services.get(name) ?? new LocalService(definition, { launcher, env, stateDir, changed, need: start })
    services.set(name, service)
    return service.environment()
  }
  const changed = ({ name, state, detail }: LocalService['track']): void =>
    emit({ type: 'service.changed', service: name, state, detail })
  const stopAll = (): Promise<unknown> => Promise.all([...services.values()].map((service) => service.stop()))
  return {
    async readers(name) {
      const profile = profiles.find((each) => each.name === name)
      if (profile === undefined) return {}
      const needed = await readersOf(resolve(root), profile)
      return Object.assign({}, ...(await Promise.all(needed.map(start)))) as Record<string, string>
    },
    during: (source) => ({
      ...source,
      async start(profile, stop) {
        stop?.throwIfAborted()
        const leave = (): void => void stopAll()
        stop?.addEventListener('abort', leave, { once: true })
        const running = await source
          .start(profile, stop)
          .catch(async (error: unknown) => {
            await stopAll()
            stop?.throwIfAborted()
            throw error
          })
          .finally(() => stop?.removeEventListener('abort', leave))
        return {
          ...running,
          async stop() {
            await running.stop()
            await stopAll()
          },
        }
      },
    }),
  }
}
