import {
  BASELINE,
  EXPERIMENTAL_APPROACHES,
  KEYWORD_BASELINE,
  KEYWORD_BASELINE_PARAMETERS,
  TEXT_BASELINES,
} from '../approaches.ts'
import type { AliasDeclaration, ConsumerManifest } from './consumer.ts'
import type { Flavor, FlavorsManifest, OwnFlavorsFile } from './flavors.ts'

/** An alias with everything that is declared of it in the consumer and flavors files. */
export interface Alias extends AliasDeclaration {
  flavor: Flavor
  /** A baseline that is another alias with a context budget of its own. */
  calls?: { alias: string; contextBudget: number }
}

/**
 * The aliases in the order of the consumer file, which declares them, with their parameters from the flavors file; the baselines
 * and the experimental approaches precede them, where their names are free and the hybrid is there. The specification has an alias
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
  const hybrid = consumer.aliases.find(({ alias }) => alias === BASELINE)
  if (hybrid !== undefined && !declared.has(KEYWORD_BASELINE)) aliases.set(KEYWORD_BASELINE, keywordBaseline(hybrid))
  for (const alias of TEXT_BASELINES)
    if (hybrid !== undefined && !declared.has(alias)) aliases.set(alias, servedBesides(alias, {}))
  for (const [alias, parameters] of Object.entries(EXPERIMENTAL_APPROACHES))
    if (hybrid !== undefined && !declared.has(alias))
      aliases.set(alias, servedBesides(alias as keyof typeof EXPERIMENTAL_APPROACHES, parameters))
  const problems = flavors.flatMap((flavor) => {
    const { alias } = flavor
    if (byAlias.get(alias) !== flavor) return [`the alias ${alias} is listed twice: remove one of them`]
    if (!declared.has(alias)) return [`the alias ${alias} is not declared in consumer.yaml`]
    const { parameters } = flavor
    return 'query_profile' in parameters &&
      typeof parameters.query_profile === 'string' &&
      !profiles.has(parameters.query_profile)
      ? [`the alias ${alias} names the graph query profile ${parameters.query_profile}, which consumer.yaml lacks`]
      : []
  })
  for (const declaration of consumer.aliases) {
    const { alias, base } = declaration
    const flavor = byAlias.get(alias)
    if (flavor === undefined) problems.push(`the alias ${alias} of consumer.yaml has no parameters`)
    else if (flavor.base !== base)
      problems.push(
        `the alias ${alias} has the base ${flavor.base} here and ${base} in consumer.yaml: name the same one`,
      )
    else aliases.set(alias, { ...declaration, flavor })
  }
  return { aliases, problems }
}

const keywordBaseline = (hybrid: AliasDeclaration): Alias => ({
  ...hybrid,
  alias: KEYWORD_BASELINE,
  flavor: {
    alias: KEYWORD_BASELINE,
    base: BASELINE,
    flavor: KEYWORD_BASELINE,
    requires_reingest: false,
    parameters: KEYWORD_BASELINE_PARAMETERS,
  },
})

type ServedBesides = (typeof TEXT_BASELINES)[number] | keyof typeof EXPERIMENTAL_APPROACHES

/** Its parameters are those of its own approach, as the two tables have them. */
const servedBesides = (alias: ServedBesides, parameters: object): Alias => ({
  alias,
  base: alias,
  experimental: true,
  evidence: alias === 'no-retrieval' ? 'answer_only' : 'answer_with_contexts',
  flavor: { alias, base: alias, flavor: null, requires_reingest: false, parameters } as Flavor,
})

/** Names that a further alias cannot have. */
export const takenNames = (
  { aliases }: Pick<ConsumerManifest, 'aliases'>,
  { flavors }: Pick<FlavorsManifest, 'flavors'>,
): ReadonlySet<string> =>
  new Set([
    'all',
    KEYWORD_BASELINE,
    ...TEXT_BASELINES,
    ...Object.keys(EXPERIMENTAL_APPROACHES),
    ...aliases.map(({ alias }) => alias),
    ...flavors.flatMap(({ flavor }) => (flavor === null ? [] : [flavor])),
  ])

/** The manifests of a project with a person's own flavors in them. */
interface WithOwnFlavors<Consumer> {
  consumer: Consumer
  flavors: Pick<FlavorsManifest, 'flavors'>
  /** Paths in the person's file with what is wrong there. */
  problems: { path: string[]; message: string }[]
}

/**
 * Adds a person's own flavors after the project's. What the alias of a flavor's approach declares of evidence holds for it too. A name that the
 * project has, as an alias or as a flavor, is a problem: `--flavors wide` must mean one thing.
 */
export function withOwnFlavors<Consumer extends Pick<ConsumerManifest, 'aliases' | 'graph_query_profiles'>>(
  consumer: Consumer,
  { flavors }: Pick<FlavorsManifest, 'flavors'>,
  own: OwnFlavorsFile | null,
): WithOwnFlavors<Consumer> {
  const taken = takenNames(consumer, { flavors })
  const problems: WithOwnFlavors<Consumer>['problems'] = []
  const added = Object.entries(own?.flavors ?? {}).flatMap(([alias, { base, parameters }]) => {
    const declared = consumer.aliases.find((each) => each.alias === base)
    if (taken.has(alias))
      problems.push({ path: ['flavors', alias], message: `${alias} is a name of the project: choose another` })
    else if (declared === undefined)
      problems.push({ path: ['flavors', alias, 'base'], message: `the project has no alias ${base}` })
    else {
      const flavor = { alias, base, flavor: alias, requires_reingest: false, parameters } as Flavor
      return [{ declaration: { ...declared, alias }, flavor }]
    }
    return []
  })
  return {
    consumer: { ...consumer, aliases: [...consumer.aliases, ...added.map(({ declaration }) => declaration)] },
    flavors: { flavors: [...flavors, ...added.map(({ flavor }) => flavor)] },
    problems,
  }
}
