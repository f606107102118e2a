import { Button } from '@mantine/core'
import { moment } from './format.ts'
import { ScrollTable } from './scroll-table.tsx'
import { Panel } from './states.tsx'
import table from './table.module.css'
import { TableHead, unseen } from './table-head.tsx'

/** Something that was moved to the trash. */
interface Removed {
  trashId: string
  name: string
  removedAt: string
  /** States how much it holds; every item has it, or none. */
  size?: string
}

interface TrashTableProps {
  title: string
  columns: { name: string; removedAt: string; size?: string }
  items: readonly Removed[]
  restore: string
  restoreOf: (name: string) => string
  onRestore: (trashId: string) => void
}

/** Lists what was moved to the trash, each with a button that restores it; nothing while the trash is empty. */
export function TrashTable({ title, columns, items, restore, restoreOf, onRestore }: TrashTableProps) {
  if (items.length === 0) return null
  return (
    <Panel title={title}>
      <ScrollTable label={title}>
        <TableHead columns={[columns.name, columns.removedAt, columns.size ?? false, unseen(restore)]} />
        <tbody>
          {items.map(({ trashId, name, removedAt, size }) => (
            <tr key={trashId}>
              <th scope="row" className={table.wrap}>
                {name}
              </th>
              <td>{moment(removedAt)}</td>
              {columns.size !== undefined && <td>{size}</td>}
              <td>
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={restoreOf(name)}
                  onClick={() => onRestore(trashId)}
                >
                  {restore}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </Panel>
  )
}
