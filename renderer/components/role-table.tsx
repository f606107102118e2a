import type { PricesView } from '../../contract/control/models.ts'
import type { ModelSetView } from '../../contract/control/experiment.ts'
import { COMPONENT_WORDS } from './component-words.ts'
import { roleWords } from './role-words.ts'
import { ScrollTable } from './scroll-table.tsx'
import table from './table.module.css'
import { num, TableHead } from './table-head.tsx'

const WORDS = COMPONENT_WORDS.roleTable

const priceWords = (price: PricesView['models'][string] | undefined): string =>
  price === undefined ? WORDS.noPrice : WORDS.readWritten(price.input, price.output)

interface RoleTableProps {
  label: string
  roles: ModelSetView['roles']
  /** Adds a column with the price of each model whose calls are paid for. */
  prices?: PricesView | undefined
}

/** Shows which model does what in a set, and what calls have taught of it. */
export function RoleTable({ label, roles, prices }: RoleTableProps) {
  return (
    <ScrollTable label={label}>
      <TableHead
        columns={[
          WORDS.work,
          WORDS.model,
          WORDS.backend,
          WORDS.where,
          prices !== undefined && num(WORDS.price(prices.currency)),
          WORDS.role,
        ]}
      />
      <tbody>
        {Object.entries(roles).map(([role, { backend, model, cloud, known }]) => (
          <tr key={role}>
            <th scope="row">{roleWords(role)}</th>
            <td className={table.wrap}>
              {model}
              {known.length > 0 && <div className="dim">{known.join(' · ')}</div>}
            </td>
            <td>{backend}</td>
            <td className={table.whole}>{COMPONENT_WORDS.where(cloud)}</td>
            {prices !== undefined && <td className={table.num}>{cloud ? priceWords(prices.models[model]) : '–'}</td>}
            <td>
              <code>{role}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  )
}
