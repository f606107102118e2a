import { join, resolve } from 'node:path'
import { PLUGIN_FILE, PluginManifest } from '../../../../contract/manifests/plugin.ts'
import type { ConsumerManifest } from '../../../../contract/manifests/consumer.ts'
import type { EnvReader } from '../../../kit/env-reader.ts'
import { routePolicies } from '../../identity/route-policy.ts'
import { readManifest } from '../manifest-file.ts'

/** A further plugin of the project. */
export interface DeclaredPlugin {
  manifest: PluginManifest
  /** Its module; imported only where `isAllowed`. */
  file: string
  /** True when PLATFORM_PLUGINS names it. */
  isAllowed: boolean
}

/**
 * Reads and checks the manifests of the project's further plugins; nothing of a plugin is imported. Problems go to the reader: manifests that cannot be used, names
 * or prefixes that two have, prefixes of the platform's own routes, names in PLATFORM_PLUGINS without a plugin.
 */
export function readPlugins(reader: EnvReader, project: string, consumer: ConsumerManifest): DeclaredPlugin[] {
  const allowed = reader.list('PLATFORM_PLUGINS')
  const read = (consumer.plugins ?? []).flatMap((root): (DeclaredPlugin & { from: string })[] => {
    const folder = resolve(project, root)
    const from = join(folder, PLUGIN_FILE)
    const outcome = readManifest(from, PluginManifest)
    if (!outcome.ok) {
      reader.problems.push(...outcome.problems)
      return []
    }
    const manifest = outcome.value
    const isAllowed = allowed.includes(manifest.name)
    return [{ manifest, file: resolve(folder, manifest.entry), isAllowed, from }]
  })
  for (const name of allowed)
    if (!read.some(({ manifest }) => manifest.name === name))
      reader.problems.push(`PLATFORM_PLUGINS: no plugin of consumer.yaml is named "${name}"`)

  const names = new Set([consumer.project])
  const taken = ownSegments(consumer)
  for (const { manifest, from } of read) {
    if (names.has(manifest.name)) reader.problems.push(`${from}: name: "${manifest.name}" is taken by another plugin`)
    names.add(manifest.name)
    // A plugin has its first segment for itself: no route of another can be reached, or replaced, by way of it.
    for (const segment of new Set(manifest.routers.map(({ prefix }) => firstSegment(prefix)))) {
      if (taken.has(segment))
        reader.problems.push(`${from}: routers: the prefix /${segment} is taken by the platform or another plugin`)
      taken.add(segment)
    }
  }
  return read.map(({ from: _from, ...plugin }) => plugin)
}

const firstSegment = (path: string): string => path.split('/')[1]!

/** First segments of the platform's own paths. */
function ownSegments(consumer: ConsumerManifest): Set<string> {
  return new Set([...routePolicies(consumer).keys()].map((route) => firstSegment(route.split(' ')[1]!)))
}
