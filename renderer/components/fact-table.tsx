import table from './table.module.css'

/** Names with their values, a row each. */
export const FactTable = ({ facts }: { facts: readonly (readonly [name: string, value: string])[] }) => (
  <table className={table.table}>
    <tbody>
      {facts.map(([name, value]) => (
        <tr key={name}>
          <th scope="row" className={table.fact}>
            {name}
          </th>
          <td>{value}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
