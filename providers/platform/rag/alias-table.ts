import type {
  BaseApproach,
  ConsumerManifest,
  Flavor,
  FlavorsManifest,
  GraphQueryProfile,
} from '../../../contract/index.ts'

/** Every declared alias with its complete parameters, in the order of the consumer manifest. */
export type AliasTable = ReadonlyMap<string, Flavor>

/** Joins declarations and parameters. Throws when an alias has no parameters or both files disagree on its base. */
export function aliasTable(consumer: ConsumerManifest, flavors: FlavorsManifest): AliasTable {
  const byAlias = new Map(flavors.flavors.map((flavor) => [flavor.alias, flavor]))
  const problems: string[] = []
  const table = new Map<string, Flavor>()
  for (const { alias, base } of consumer.aliases) {
    const flavor = byAlias.get(alias)
    if (flavor === undefined) problems.push(`${alias} has no parameters in the flavors file`)
    else if (flavor.base !== base)
      problems.push(`${alias} is declared on ${base}, but its parameters are for ${flavor.base}`)
    else table.set(alias, flavor)
  }
  if (problems.length > 0) throw new Error(`alias declarations do not fit together: ${problems.join('; ')}`)
  return table
}

/** Aliases that resolve to one base approach. */
export function aliasesOf(table: AliasTable, base: BaseApproach): string[] {
  return [...table.values()].filter((flavor) => flavor.base === base).map((flavor) => flavor.alias)
}

/** The declared graph query profiles by name. Throws when an alias asks for one that is not declared. */
export function requireGraphProfiles(table: AliasTable, consumer: ConsumerManifest): Map<string, GraphQueryProfile> {
  const profiles = new Map(consumer.graph_query_profiles.map((profile) => [profile.name, profile]))
  const problems = [...table.values()].flatMap((flavor) =>
    flavor.base === 'graph-rag' && !profiles.has(flavor.parameters.query_profile)
      ? [`${flavor.alias} asks for the graph query profile '${flavor.parameters.query_profile}', which is not declared`]
      : [],
  )
  if (problems.length > 0) throw new Error(`alias declarations do not fit together: ${problems.join('; ')}`)
  return profiles
}
