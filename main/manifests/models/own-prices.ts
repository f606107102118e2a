// The prices that a person pays for models are kept in `.rag-ladder/prices.yaml` for the command line and the panel.
import { OWN_PRICES_FILE, PricesFile, type ModelPrice, type Prices } from '../../../contract/manifests/prices.ts'
import { editOwnFile, type OwnFileEdit } from '../edit-own-file.ts'
import { loadOwn } from '../experiment.ts'
import { InputError } from '../runner-inputs.ts'

/** A person's prices; none where there is no file. Throws `ManifestError`. */
export async function loadPrices(root: string): Promise<Prices> {
  const { currency, models } = (await loadOwn(root, OWN_PRICES_FILE, PricesFile)) ?? PricesFile.parse({ version: 1 })
  return { currency, models }
}

const edit = (root: string, edits: readonly OwnFileEdit[]): Promise<void> =>
  editOwnFile(
    root,
    { file: OWN_PRICES_FILE, version: 1, schema: PricesFile, maps: ['models'], problemsOf: () => Promise.resolve([]) },
    edits,
  )

/** Sets the price of a model per million tokens, and the currency of all prices where one is given. Throws `ManifestError`. */
export async function savePrice(
  root: string,
  model: string,
  { input, output }: ModelPrice,
  currency: string | null = null,
): Promise<void> {
  const value = output === 0 ? { input } : { input, output }
  await edit(root, [
    ...(currency === null ? [] : [{ path: ['currency'], value: currency }]),
    { path: ['models', model], value },
  ])
}

/** Replaces all prices. Throws `ManifestError`. */
export const savePrices = (root: string, { currency, models }: Prices): Promise<void> =>
  edit(root, [
    { path: ['currency'], value: currency },
    { path: ['models'], value: models },
  ])

/** Removes the price of a model: what it costs is unknown again. Throws `InputError` for one without a price. */
export async function removePrice(root: string, model: string): Promise<void> {
  const { models } = await loadPrices(root)
  if (!Object.hasOwn(models, model))
    throw new InputError([
      `${model} has no price; ${Object.keys(models).length === 0 ? 'no model has one' : `these have one: ${Object.keys(models).join(', ')}`}`,
    ])
  await edit(root, [{ path: ['models', model], value: undefined }])
}
