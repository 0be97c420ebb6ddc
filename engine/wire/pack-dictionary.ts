/**
 * What packs of version 3 may copy from: the names of the contract as most POS backends write them. Never changed: another
 * one takes another version. What it saves: `npm run bench -- engine/pack`.
 */
export const packDictionary: Uint8Array = Buffer.from(
  [
    '"status":"unchanged","reason":"no_benefits"}"status":"member_not_found"}"orderDiscounts":[{"orderDiscountId":"",',
    '"orderDiscountAllocations":[{"orderDiscountId":"","amount":}],"existingDiscount',
    '"noDiscount":true,"noPercentageDiscount":true,"overrideUnitPrice":,"splitFromLineId":"","parentLineId":null,',
    '"discounts":[{"type":"percentage","percentage":10,"amount":0,"text":"","lineDiscountCode":"THIRD_PARTY_LOYALTY",',
    '"campaignId":""}]{"calculationId":"","status":"applied","basket":}"supersedesCalculationId":',
    '{"calculationId":"","loyaltyId":"","currency":"NOK","requestedAt":"2026-01-01T12:00:00.000Z",',
    '"context":{"venueId":"","baxId":"","cashRegisterId":"","clerkNumber":1,"channel":"pos"},',
    '"lines":[{"lineId":"1","productId":"","productGroupId":"","productMasterId":"","ean":"","name":"",',
    '"quantity":1,"unitPrice":100,"noDiscount":false,"discounts":[],"orderDiscountAllocations":[],',
    '"totals":{"gross":100,"lineDiscount":0,"orderDiscount":0,"net":100}},{"lineId":"2",',
    '"totals":{"gross":0,"lineDiscount":0,"orderDiscount":0,"net":0}}],',
  ].join(''),
  'latin1',
)
