import { z } from 'zod'
import { APPROACHES, BaseApproach } from '../approaches.ts'
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
