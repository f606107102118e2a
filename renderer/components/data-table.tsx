import type { Key, ReactNode } from 'react'
import { ScrollTable } from './scroll-table.tsx'
import { type Column, TableHead } from './table-head.tsx'

/** A column by its head, what it shows of a row, and the class of its cells, which have that of the head too; false leaves it out. */
export type DataColumn<Row> =
  | false
  | readonly [head: Column, cell: (row: Row) => ReactNode, className?: string | undefined]

interface DataTableProps<Row> {
  /** A screen reader calls it by this name. */
  label: string
  rows: readonly Row[]
  keyOf: (row: Row) => Key
  columns: readonly DataColumn<Row>[]
  /** Place of the column that names its row. */
  nameAt?: number
  className?: string | undefined
}

/** A row for each of several things, whose first column names them. */
export function DataTable<Row>({ label, rows, keyOf, columns, nameAt = 0, className }: DataTableProps<Row>) {
  const shown = columns.filter((column) => column !== false)
  return (
    <ScrollTable label={label} className={className} isNamed>
      <TableHead columns={shown.map(([head]) => head)} />
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {shown.map(([head, cell, cellClass], at) => {
              const headClass = typeof head === 'object' ? head.className : undefined
              const classes = [headClass, cellClass].filter(Boolean).join(' ') || undefined
              return at === nameAt ? (
                <th key={at} scope="row" className={classes}>
                  {cell(row)}
                </th>
              ) : (
                <td key={at} className={classes}>
                  {cell(row)}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  )
}
