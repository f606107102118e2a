import { useMediaQuery } from '@mantine/hooks'
import type { Key, ReactNode } from 'react'
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

interface ScrollTableProps {
  label: string
  className?: string | undefined
  /** The table itself has the name too. */
  isNamed?: boolean
  /** On a phone each row is a block: its name, then each value after the `data-head` of its cell. Early: already where a sidebar leaves half a screen. */
  stacks?: boolean | 'early'
  children: ReactNode
}

/** A table that scrolls sideways where the page is too narrow for it, by keyboard too. `label` names it. */
export function ScrollTable({ label, className = '', isNamed = false, stacks = false, children }: ScrollTableProps) {
  const isNarrow = useMediaQuery(`(max-width: ${stacks === 'early' ? 1000 : 600}px)`, undefined, {
    getInitialValueInEffect: false,
  })
  return (
    <div className={`${table.scroll} ${className}`} tabIndex={0} role="region" aria-label={label}>
      <table
        className={`${table.table} ${stacks !== false && isNarrow ? table.stacks : ''}`}
        aria-label={isNamed ? label : undefined}
      >
        {children}
      </table>
    </div>
  )
}

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
  /** For rows that are read one by one, not compared down a column. */
  stacks?: boolean | 'early'
}

const textOf = (head: Exclude<Column, false>): string | undefined => {
  const content = typeof head === 'string' ? head : head.head
  return typeof content === 'string' ? content : undefined
}

/** A row for each of several things, whose first column names them. */
export function DataTable<Row>({ label, rows, keyOf, columns, nameAt = 0, className, stacks }: DataTableProps<Row>) {
  const shown = columns.filter((column) => column !== false)
  return (
    <ScrollTable label={label} className={className} stacks={stacks ?? false} isNamed>
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
                <td key={at} className={classes} data-head={head === false ? undefined : textOf(head)}>
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

/** Names with their values, a row each. */
export const FactTable = ({ facts }: { facts: readonly (readonly [name: string, value: string])[] }) => (
  <table className={table.table}>
    <tbody>
      {facts.map(([name, value]) => (
        <tr key={name}>
          <th scope="row" className={table.fact}>
            {name}
          </th>
          <td className={table.wrap}>{value}</td>
        </tr>
      ))}
    </tbody>
  </table>
)
