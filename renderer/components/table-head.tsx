import type { ReactNode } from 'react'
import table from './table.module.css'

/** A column by what its head shows; false leaves it out. */
export type Column = string | false | { head: ReactNode; className?: string | undefined }

/** A column of figures. */
export const num = (head: ReactNode): Column => ({ head, className: table.num })

/** A column whose head only screen readers read. */
export const unseen = (head: string): Column => ({ head: <span className="hidden-text">{head}</span> })

/** The first row of a table. */
export function TableHead({ columns }: { columns: readonly Column[] }) {
  const shown = columns.filter((column) => column !== false)
  return (
    <thead>
      <tr>
        {shown.map((column, index) => {
          const { head, className } = typeof column === 'string' ? { head: column } : column
          return (
            <th key={index} scope="col" className={className}>
              {head}
            </th>
          )
        })}
      </tr>
    </thead>
  )
}
