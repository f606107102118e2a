import type { PluginList } from '../../../contract/http/platform.ts'
import type { ConsumerManifest } from '../../../contract/manifests/consumer.ts'
import type { AliasBackend } from '../gateway/alias-backend.ts'

export interface PluginListDeps {
  consumer: Pick<ConsumerManifest, 'project' | 'plugin' | 'aliases'>
  backend: Pick<AliasBackend, 'availability'>
  /** Variables that shape the plugin, secrets among them. */
  variables: readonly string[]
  variable: (name: string) => string | undefined
}

/** Body of `GET /plugins`. A value is never shown, only whether there is one. */
export async function pluginList({ consumer, backend, variables, variable }: PluginListDeps): Promise<PluginList> {
  const states = await Promise.all(consumer.aliases.map(async ({ alias }) => backend.availability(alias)))
  // A platform that waits for its documents works.
  const works = states.some((state) => state?.available === true || state?.needs_ingestion === true)
  const reason = works ? null : (states.flatMap((state) => state?.reason ?? [])[0] ?? 'no alias can answer')
  const env = variables.map((name) => [name, (variable(name) ?? '') === '' ? null : '***'] as const)
  return {
    plugins: [
      {
        name: consumer.project,
        route_prefix: consumer.plugin.route_prefix,
        auth: consumer.plugin.auth,
        env: Object.fromEntries(env),
        status: works ? 'loaded' : 'error',
        reason,
      },
    ],
  }
}
