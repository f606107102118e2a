import { DataTable, unseen } from './tables.tsx'
import { moment } from './format.ts'
import { RowButton } from './row-button.tsx'
import { Panel } from './states.tsx'
import table from './table.module.css'

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
      <DataTable
        label={title}
        rows={items}
        keyOf={({ trashId }) => trashId}
        columns={[
          [columns.name, ({ name }) => name, table.wrap],
          [columns.removedAt, ({ removedAt }) => moment(removedAt)],
          columns.size !== undefined && [columns.size, ({ size }) => size],
          [
            unseen(restore),
            ({ trashId, name }) => (
              <RowButton size="compact-sm" label={restore} name={restoreOf(name)} onClick={() => onRestore(trashId)} />
            ),
          ],
        ]}
      />
    </Panel>
  )
}
