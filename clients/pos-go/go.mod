module loyaltypartner/pos

go 1.19
