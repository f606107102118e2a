import type { PricesView } from '../../contract/control/models.ts'
import type { ModelSetView } from '../../contract/control/experiment.ts'
import { isLearnedBackend } from '../../contract/manifests/model-backends.ts'
import { COMPONENT_WORDS } from './component-words.ts'
import { moment } from './format.ts'
import { DataTable, num } from './tables.tsx'
import { roleWords } from '../../core/role-words.ts'
import table from './table.module.css'

const WORDS = COMPONENT_WORDS.roleTable

const priceWords = (price: PricesView['models'][string] | undefined): string =>
  price === undefined ? WORDS.noPrice : WORDS.readWritten(price.input, price.output)

type Role = ModelSetView['roles'][string]

/** Rules need no test, and of other backends than the learned ones no record is kept. */
const testedWords = ({ backend, learned_at: at }: Role): string =>
  at !== null ? WORDS.answered(moment(at)) : isLearnedBackend(backend) ? WORDS.notTested : '–'

interface RoleTableProps {
  label: string
  roles: ModelSetView['roles']
  /** Adds a column with the price of each model whose calls are paid for. */
  prices?: PricesView | undefined
}

/** Shows which model does what in a set, and what calls have taught of it. */
export const RoleTable = ({ label, roles, prices }: RoleTableProps) => (
  <DataTable
    stacks
    label={label}
    rows={Object.entries(roles)}
    keyOf={([role]) => role}
    columns={[
      [WORDS.work, ([role]) => roleWords(role)],
      [
        WORDS.model,
        ([, { model, known }]) => (
          <>
            {model}
            {known.length > 0 && <div className="dim">{known.join(' · ')}</div>}
          </>
        ),
        table.wrap,
      ],
      [WORDS.backend, ([, { backend }]) => backend],
      [WORDS.where, ([, { cloud }]) => COMPONENT_WORDS.where(cloud), table.whole],
      [WORDS.tested, ([, role]) => testedWords(role), table.wrap],
      prices !== undefined && [
        num(WORDS.price(prices.currency)),
        ([, { cloud, model }]) => (cloud ? priceWords(prices.models[model]) : '–'),
      ],
      [WORDS.role, ([role]) => <code>{role}</code>],
    ]}
  />
)
