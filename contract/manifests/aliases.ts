import type { AliasDeclaration, ConsumerManifest } from './consumer.ts'
import type { Flavor, FlavorsManifest } from './flavors.ts'

/** An alias with everything that is declared of it in the consumer and flavors files. */
export interface Alias extends AliasDeclaration {
  flavor: Flavor
}

/**
 * The aliases in the order of the consumer file, which declares them, with their parameters from the flavors file. The specification has an alias
 * in both files, so runner and platform join them by this one function; `problems` names every alias on which the two differ.
 */
export function joinAliases(
  consumer: Pick<ConsumerManifest, 'aliases' | 'graph_query_profiles'>,
  { flavors }: Pick<FlavorsManifest, 'flavors'>,
): { aliases: Map<string, Alias>; problems: string[] } {
  const byAlias = new Map(flavors.map((flavor) => [flavor.alias, flavor]))
  const declared = new Set(consumer.aliases.map(({ alias }) => alias))
  const profiles = new Set(consumer.graph_query_profiles.map(({ name }) => name))
  const aliases = new Map<string, Alias>()
  const problems = flavors.flatMap((flavor) => {
    const { alias } = flavor
    if (byAlias.get(alias) !== flavor) return [`the alias ${alias} is listed twice: remove one of them`]
    if (!declared.has(alias)) return [`the alias ${alias} is not declared in consumer.yaml`]
    return flavor.base === 'graph-rag' && !profiles.has(flavor.parameters.query_profile)
      ? [
          `the alias ${alias} names the graph query profile ${flavor.parameters.query_profile}, which consumer.yaml lacks`,
        ]
      : []
  })
  for (const declaration of consumer.aliases) {
    const { alias, base } = declaration
    const flavor = byAlias.get(alias)
    if (flavor === undefined) problems.push(`the alias ${alias} of consumer.yaml has no parameters`)
    else if (flavor.base !== base) problems.push(`the alias ${alias} is of ${flavor.base}, in consumer.yaml of ${base}`)
    else aliases.set(alias, { ...declaration, flavor })
  }
  return { aliases, problems }
}
