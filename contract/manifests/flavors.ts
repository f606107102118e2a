import { z } from 'zod'
import { approachDescriptor, APPROACHES, BaseApproach } from '../approaches.ts'
import { Identifier, versioned } from '../common.ts'

function flavorOf<Base extends BaseApproach>(base: Base) {
  // Declared, because a lookup by a generic key has the union of all parameters as its type.
  const parameters: (typeof APPROACHES)[Base]['parameters'] = APPROACHES[base].parameters
  return z.strictObject({
    alias: Identifier,
    base: z.literal(base),
    /** The flavor's own name; null for the base alias. */
    flavor: Identifier.nullable(),
    /** True when switching to this flavor needs the corpus ingested again. */
    requires_reingest: z.boolean().default(false),
    parameters,
  })
}

type FlavorSchema = { [Base in BaseApproach]: ReturnType<typeof flavorOf<Base>> }[BaseApproach]

/** One alias with its complete parameter set, discriminated by `base`. */
export const Flavor = z.discriminatedUnion(
  'base',
  BaseApproach.options.map((base) => flavorOf(base)) as [FlavorSchema, ...FlavorSchema[]],
)
export type Flavor = z.infer<typeof Flavor>

/** `manifests/flavors.yaml`. */
export const FlavorsManifest = versioned({ flavors: z.array(Flavor).min(1) })
export type FlavorsManifest = z.infer<typeof FlavorsManifest>

/** States where a person's own flavors are, relative to the project folder; never tracked. */
export const OWN_FLAVORS_FILE = '.rag-ladder/flavors.yaml'

/** Schema of what a person can set of an approach; null where there is nothing. */
export function ownParameters(base: BaseApproach): z.ZodType<Record<string, z.core.util.JSONType>> | null {
  const { ownParameters: own, parameters } = approachDescriptor(base)
  return (own === undefined ? parameters : own) as ReturnType<typeof ownParameters>
}

/** Approaches of which a person can have flavors. */
export const ADJUSTABLE_APPROACHES: readonly BaseApproach[] = BaseApproach.options.filter(
  (base) => ownParameters(base) !== null,
)

const ownFlavorOf = (base: BaseApproach) => z.strictObject({ base: z.literal(base), parameters: ownParameters(base)! })
type OwnFlavorSchema = ReturnType<typeof ownFlavorOf>

/** An approach with a complete set of parameters that a person chose. */
export const OwnFlavor = z.discriminatedUnion(
  'base',
  ADJUSTABLE_APPROACHES.map(ownFlavorOf) as [OwnFlavorSchema, ...OwnFlavorSchema[]],
)
export type OwnFlavor = z.infer<typeof OwnFlavor>

/** A person's own flavors by alias, beside the project's. */
export const OwnFlavorsFile = versioned({ flavors: z.record(Identifier, OwnFlavor).default({}) })
export type OwnFlavorsFile = z.infer<typeof OwnFlavorsFile>
