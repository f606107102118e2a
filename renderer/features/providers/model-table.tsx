import { useIsMutating, useQuery } from '@tanstack/react-query'
import type { ServiceName } from '../../../contract/control/services.ts'
import { LoadingRows } from '../../components/states.tsx'
import table from '../../components/table.module.css'
import { ModelRow } from './model-row.tsx'
import { modelsOf } from './models-of.ts'

const WHILE_FETCHING_MS = 500

/** The models of a service that runs: asking one that does not would start it. */
export function ModelTable({ service }: { service: ServiceName }) {
  const isAtWork = useIsMutating({ mutationKey: ['models', service] }) > 0
  const { data, isPending, error } = useQuery({
    queryKey: ['models', service],
    queryFn: () => modelsOf(service),
    // No event tells of models.
    staleTime: 0,
    refetchInterval: ({ state }) =>
      isAtWork || state.data?.some(({ progress }) => progress !== null) === true ? WHILE_FETCHING_MS : false,
  })
  if (isPending) return <LoadingRows rows={3} height={36} />
  if (data === undefined) return <p role="alert">▲ {error.message}</p>
  return (
    <div className={table.scroll}>
      <table className={table.table} aria-label={`Models of ${service}`}>
        <thead>
          <tr>
            <th>Model</th>
            <th>For</th>
            <th>Licence</th>
            <th>Size</th>
            <th>Source</th>
            <th>State</th>
            <th>
              <span className="hidden-text">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {data.map((model) => (
            <ModelRow key={model.id} service={service} model={model} />
          ))}
        </tbody>
      </table>
    </div>
  )
}
