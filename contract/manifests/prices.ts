import { z } from 'zod'
import { versioned } from '../common.ts'
import type { ModelUsage } from '../evidence/model-usage.ts'

/** Highest price of a million tokens. */
export const MAX_PRICE = 1_000_000
const price = z.number().min(0).max(MAX_PRICE)

/** Price of one model per million tokens. Embedding models write none. */
export const ModelPrice = z.strictObject({ input: price, output: price.default(0) })
export type ModelPrice = z.infer<typeof ModelPrice>

/** Holds what a person pays for models, by the name that their service knows them by. */
export const PricesFile = versioned({
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'three letters such as USD')
    .default('USD'),
  models: z.record(z.string().min(1), ModelPrice).default({}),
})
export type PricesFile = z.infer<typeof PricesFile>
export type Prices = Pick<PricesFile, 'currency' | 'models'>

/** States where it is, relative to the project folder; never tracked: prices are a person's, and change. */
export const OWN_PRICES_FILE = '.rag-ladder/prices.yaml'

/** Describes what usage costs. `amount` covers what is known; it is the cost only when nothing is in `unknown`. */
export const Cost = z.strictObject({
  amount: z.number().min(0),
  currency: z.string(),
  /** Why it is not known in full: a phrase for each model. */
  unknown: z.array(z.string()),
})
export type Cost = z.infer<typeof Cost>

const TOKENS_OF_A_PRICE = 1_000_000

/** The cost of what models used; models of this machine cost nothing. */
export function costOf(usages: readonly ModelUsage[], { currency, models }: Prices): Cost {
  const unknown = new Set<string>()
  let amount = 0
  for (const { model, cloud, unreported, estimated, input_tokens: input, output_tokens: output } of usages) {
    if (model === null) unknown.add('an external program does not report its usage')
    else if (cloud) {
      const declared = Object.hasOwn(models, model) ? models[model] : undefined
      if (declared === undefined) unknown.add(`no price for ${model}`)
      else amount += (input * declared.input + output * declared.output) / TOKENS_OF_A_PRICE
      if (estimated !== undefined) unknown.add(`${model} reports no tokens, so they are estimated`)
      if (unreported > 0) unknown.add(`${model} did not report all of its tokens`)
    }
  }
  return { amount, currency, unknown: [...unknown] }
}
