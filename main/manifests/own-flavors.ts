// A person's own flavors: an approach with other parameters, under a name of its own, kept in `.rag-ladder/flavors.yaml` for the command line and the
// panel.
import { approachDescriptor } from '../../contract/approaches.ts'
import { Identifier } from '../../contract/common.ts'
import { withOwnFlavors, type Alias } from '../../contract/manifests/aliases.ts'
import { ConsumerManifest } from '../../contract/manifests/consumer.ts'
import {
  FlavorsManifest,
  OWN_FLAVORS_FILE,
  ownParameters,
  OwnFlavorsFile,
  type OwnFlavor,
} from '../../contract/manifests/flavors.ts'
import { editOwnFile, type OwnFileEdit } from './edit-own-file.ts'
import { CONSUMER_FILE, EVALUATION_FILE, type Experiment } from './experiment.ts'
import { loadManifest } from './load-manifest.ts'
import { InputError } from './runner-inputs.ts'

type Aliases = Pick<Experiment, 'root' | 'consumer' | 'evaluation' | 'aliases' | 'ownAliases'>

async function editOwnFlavors({ root, evaluation }: Aliases, edits: readonly OwnFileEdit[]): Promise<void> {
  await editOwnFile(
    root,
    {
      file: OWN_FLAVORS_FILE,
      version: 1,
      schema: OwnFlavorsFile,
      maps: ['flavors'],
      problemsOf: async (own) => {
        const consumer = await loadManifest(root, CONSUMER_FILE, ConsumerManifest)
        const flavors = await loadManifest(
          root,
          evaluation.flavors_file,
          FlavorsManifest,
          `flavors_file in ${EVALUATION_FILE}`,
        )
        return withOwnFlavors(consumer, flavors, own).problems
      },
    },
    edits,
  )
}

/** Parameters of an alias as a flavor of its approach sets them: a managed query profile as its settings. Null where there is nothing to set. */
export function parametersToSet(
  { flavor }: Alias,
  { graph_query_profiles: profiles }: Pick<ConsumerManifest, 'graph_query_profiles'>,
): OwnFlavor['parameters'] | null {
  if (ownParameters(flavor.base) === null) return null
  const { parameters } = flavor
  if (!('query_profile' in parameters)) return parameters
  const { name: _name, ...settings } = profiles.find(({ name }) => name === parameters.query_profile)!
  return settings
}

/** Adds a flavor, or replaces the person's own of that name. Throws `InputError` for a name of the project's and `ManifestError` for what cannot be used. */
export async function saveOwnFlavor(experiment: Aliases, name: string, flavor: OwnFlavor): Promise<void> {
  const { aliases, ownAliases } = experiment
  if (!Identifier.safeParse(name).success)
    throw new InputError([`invalid name ${name}: expected letters, digits, "_", "-" and "." only`])
  if (aliases.has(name) && !ownAliases.includes(name))
    throw new InputError([`name: the alias ${name} belongs to the project: choose another name`])
  await editOwnFlavors(experiment, [{ path: ['flavors', name], value: flavor }])
}

/** Removes a person's own flavor; rows that were made with it stay. Throws `InputError` for what is not theirs. */
export async function removeOwnFlavor(experiment: Aliases, name: string): Promise<void> {
  const { aliases, ownAliases, evaluation } = experiment
  if (!ownAliases.includes(name))
    throw new InputError([
      aliases.has(name)
        ? `${name} belongs to the project: edit ${evaluation.flavors_file}`
        : `no flavor of yours is named ${name}; ${ownAliases.length === 0 ? 'there are none' : `there are ${ownAliases.join(', ')}`}`,
    ])
  await editOwnFlavors(experiment, [{ path: ['flavors', name], value: undefined }])
}

/** The alias that a new flavor starts from. Throws `InputError`. */
export function startingAlias({ aliases }: Pick<Experiment, 'aliases'>, name: string): Alias {
  const alias = aliases.get(name)
  const adjustable = [...aliases.values()].filter(({ base }) => ownParameters(base) !== null)
  if (alias === undefined)
    throw new InputError([`no alias is named ${name}; there are ${adjustable.map((each) => each.alias).join(', ')}`])
  if (ownParameters(alias.base) === null)
    throw new InputError([`${approachDescriptor(alias.base).short} has no parameters that a flavor could set`])
  return alias
}
