import { useQuery } from '@tanstack/react-query'
import { ErrorPanel, LoadingRows, Page } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { ServicePanel } from '../features/providers/service-panel.tsx'

const USAGE_MS = 5000

/** Each service with its state, figures, log and buttons. */
export function ProvidersPage() {
  const { data, isPending, isError, error, refetch } = useQuery({
    ...api.services.list.queryOptions(),
    // State changes come as events; memory and processor do not.
    refetchInterval: USAGE_MS,
  })
  return (
    <Page title="Providers">
      {isPending && <LoadingRows rows={8} height={96} />}
      {isError && <ErrorPanel error={error} what="The list of services" retry={() => void refetch()} />}
      {data?.map((service) => (
        <ServicePanel key={service.name} service={service} />
      ))}
    </Page>
  )
}
