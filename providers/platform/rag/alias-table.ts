import { joinAliases } from '../../../contract/manifests/aliases.ts'
import type { ConsumerManifest, GraphQueryProfile } from '../../../contract/manifests/consumer.ts'
import type { Flavor, FlavorsManifest } from '../../../contract/manifests/flavors.ts'

/** Every declared alias with its complete parameters, in the order of the consumer manifest. */
export type AliasTable = ReadonlyMap<string, Flavor>

/** Throws when the consumer and flavors files differ about an alias. */
export function aliasTable(consumer: ConsumerManifest, flavors: FlavorsManifest): AliasTable {
  const { aliases, problems } = joinAliases(consumer, flavors)
  if (problems.length > 0) throw new Error(`the manifests of the aliases differ: ${problems.join('; ')}`)
  return new Map([...aliases].map(([alias, { flavor }]) => [alias, flavor]))
}

/** The declared graph query profiles by name. */
export const graphProfiles = ({ graph_query_profiles }: ConsumerManifest): Map<string, GraphQueryProfile> =>
  new Map(graph_query_profiles.map((profile) => [profile.name, profile]))
