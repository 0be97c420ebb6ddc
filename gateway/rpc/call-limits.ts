import { documentBytesMax, linesRoom } from './limits.js'

/** What one call may bring, checked before its message is decoded (docs/api.md, "Message limits"). */
export interface CallLimits {
  /** Bytes of the message, decompressed, without a document that it carries. */
  readonly bytesMax: number
  /** What the parts of the message weigh at most: `weighMessage` and `weighJson`. */
  readonly weightMax: number
  /** Lines of a basket; above it the basket is refused unread. */
  readonly linesMax: number
  /** The field, a string, that holds a programme document: it is not decoded on the main thread. */
  readonly document: string | null
  /** Reading or answering it takes long: only a few such calls run at once. */
  readonly isHeavy: boolean
}

const kib = 1024
const mib = 1024 * kib

/** Ids, filters, page tokens, and some to spare. */
const small = { bytesMax: 64 * kib, weightMax: 1_000, linesMax: 0, document: null, isHeavy: false }
const heavy = { ...small, isHeavy: true }
/** JSON says the same in about twice the bytes of the contract's own JSON: integers in quotes, long names. */
const jsonRoom = 2
/** A basket of 200 lines, each with two discounts, two shares of order discounts and five fields of the POS, weighs 17,000. */
const basketWeightMax = 20_000
/** Of a simulation beside its basket: a member and a venue that are supposed. */
const supposedBytesMax = 256 * kib
/** A thousand members with ten ids and segments each weigh 40,000; a venue with 10,000 products 90,000. */
const membersWeightMax = 60_000
const venueWeightMax = 120_000
/** A thousand rows, each with its member and two dates, weigh 20,000. */
const importWeightMax = 40_000

/** A thousand names of members weigh 5,000, a thousand codes 1,000. */
const receiversWeightMax = 10_000
const codesWeightMax = 2_000
/** A thousand lines of a return weigh 4,000. */
const returnWeightMax = 8_000
/** A thousand ids of events weigh 1,000. */
const eventsWeightMax = 2_000

/** Calls whose limits depend on no setting. */
const ofValue: Readonly<Record<string, CallLimits>> = {
  'ReturnService/GetLadder': heavy,
  'ReturnService/QuoteReturn': { ...heavy, bytesMax: 256 * kib, weightMax: returnWeightMax },
  'ReturnService/RecordReturn': { ...heavy, bytesMax: 256 * kib, weightMax: returnWeightMax },
  'ReturnService/ListReturns': heavy,
  'RewardService/ListRewards': small,
  'RewardService/IssueVouchers': { ...heavy, bytesMax: 2 * mib, weightMax: receiversWeightMax },
  'RewardService/ImportCodes': { ...heavy, bytesMax: mib, weightMax: codesWeightMax },
  'RewardService/ClaimCode': small,
  'RewardService/VoidCode': small,
  'RewardService/ActivateReward': small,
  'RewardService/CancelActivation': small,
  'ValueService/GetBalances': small,
  'ValueService/ListMovements': heavy,
  'ValueService/AdjustValue': small,
  'ValueService/TransferValue': small,
  'ValueService/ImportBalances': { ...heavy, bytesMax: 2 * mib, weightMax: importWeightMax },
  'ValueService/ReportLiability': heavy,
}

const document: CallLimits = { ...heavy, document: 'document' }
const ofProgramme: Readonly<Record<string, CallLimits>> = {
  'ProgrammeService/ValidateProgramme': document,
  'ProgrammeService/PublishProgramme': document,
  'ProgrammeService/DiffProgrammes': { ...document, document: 'draft_document' },
  'ProgrammeService/GetProgramme': heavy,
  'ProgrammeService/ListProgrammes': heavy,
  'ProgrammeService/ProposeProgramme': document,
  'ProgrammeService/ListProposals': heavy,
  'ProgrammeService/GetProposal': heavy,
  'ProgrammeService/ApproveProposal': heavy,
  'ProgrammeService/DeclineProposal': small,
  'ProgrammeService/RollBack': small,
  'ProgrammeService/ShadowRun': { ...document, document: 'draft_document' },
  'ProgrammeService/ShadowCalculation': { ...document, document: 'draft_document' },
}

/** The limits of every call, by its name in log and metrics; one that is not listed is `small`. */
export type CallLimitsOf = (endpoint: string) => CallLimits

export function createCallLimits({ bodyBytesMax, linesMax }: { bodyBytesMax: number; linesMax: number }): CallLimitsOf {
  const basket = {
    ...small,
    bytesMax: jsonRoom * bodyBytesMax,
    weightMax: basketWeightMax,
    linesMax: linesRoom * linesMax,
  }
  const listed: Readonly<Record<string, CallLimits>> = {
    ...ofValue,
    'AccessService/GetAccess': small,
    'AuditService/ListAuditRecords': heavy,
    'CalculationService/GetCalculation': small,
    'CalculationService/ListCalculations': heavy,
    'CalculationService/SimulateBasket': {
      ...basket,
      bytesMax: basket.bytesMax + supposedBytesMax,
      document: 'draft_document',
      isHeavy: true,
    },
    'CalculationService/ReplayCalculation': heavy,
    'CalculationService/ReleaseReservation': small,
    'EventService/WatchEvents': small,
    'EventService/ListEvents': heavy,
    'EventService/CreateWebhook': small,
    'EventService/ListWebhooks': heavy,
    'EventService/DeleteWebhook': small,
    'EventService/ListDeliveries': heavy,
    'EventService/RedeliverEvents': { ...small, weightMax: eventsWeightMax },
    'LimitService/GetLimit': small,
    'LimitService/ListLimits': heavy,
    'MemberService/GetMember': small,
    'MemberService/ListMembers': heavy,
    'MemberService/UpsertMembers': { ...heavy, bytesMax: 4 * mib, weightMax: membersWeightMax },
    'MemberService/BlockMember': small,
    'MemberService/MergeMembers': heavy,
    'MemberService/SetTier': small,
    'MemberService/ClaimSale': heavy,
    'MemberService/ForgetMember': heavy,
    'MemberService/GetForgetting': small,
    'PosService/CalculateBasket': basket,
    'PosService/RecordSale': { ...small, bytesMax: jsonRoom * bodyBytesMax },
    ...ofProgramme,
    'ReportService/ReportSums': heavy,
    'ReportService/ReportTraffic': small,
    'ReportService/WatchToday': small,
    'RequestService/WatchRequests': small,
    'SaleService/GetSale': small,
    'SaleService/ListSales': heavy,
    'SaleService/ListDiscrepancies': heavy,
    'SaleService/WatchSales': small,
    'SystemService/ListGateways': small,
    'SystemService/GetStores': small,
    'SystemService/ListSettings': small,
    'VenueService/GetVenue': heavy,
    'VenueService/ListVenues': heavy,
    'VenueService/ReadPriceList': { ...heavy, bytesMax: 4 * mib },
    'VenueService/UpsertVenue': { ...heavy, bytesMax: 4 * mib, weightMax: venueWeightMax },
    'Health/Check': { ...small, bytesMax: 4 * kib },
    'Health/Watch': { ...small, bytesMax: 4 * kib },
  }
  return (endpoint) => (Object.hasOwn(listed, endpoint) ? listed[endpoint]! : small)
}

/** Bytes that may arrive for one call. */
export function arrivingBytesMax({ bytesMax, document }: CallLimits): number {
  return document === null ? bytesMax : bytesMax + documentBytesMax
}
